"""Loads Mach-O objects of arm64: what clang makes for macOS, put together in memory that an emulator
runs. Knows the relocations that clang's code for these tests has."""

import struct

MAGIC = 0xFEEDFACF
LC_SEGMENT_64, LC_SYMTAB = 0x19, 2
ZEROFILL = 1
EXTERNAL, TYPE, UNDEFINED, IN_SECTION, DEBUG = 0x01, 0x0E, 0x00, 0x0E, 0xE0
UNSIGNED, _, BRANCH26, PAGE21, PAGEOFF12, GOT_PAGE21, GOT_PAGEOFF12 = range(7)
ADDEND = 10


class Malformed(Exception):
    pass


class Object:
    """One file: its sections with their relocations, and its symbols."""

    def __init__(self, path):
        self.path = path
        self.data = data = path.read_bytes()
        magic, _, _, _, commands = struct.unpack_from("<5I", data)
        if magic != MAGIC:
            raise Malformed(f"{path} is no Mach-O object of 64 bits")
        self.sections, self.symbols = [], []
        at = 32
        for _ in range(commands):
            kind, size = struct.unpack_from("<2I", data, at)
            if kind == LC_SEGMENT_64:
                count, = struct.unpack_from("<I", data, at + 64)
                self.sections += [Section(data, at + 72 + 80 * n) for n in range(count)]
            elif kind == LC_SYMTAB:
                self._read_symbols(*struct.unpack_from("<4I", data, at + 8))
            at += size

    def _read_symbols(self, at, count, strings, _):
        for n in range(count):
            name, kind, section, _, value = struct.unpack_from("<IBBHQ", self.data, at + 16 * n)
            end = self.data.index(b"\0", strings + name)
            text = self.data[strings + name:end].decode()
            self.symbols.append((text, kind, section, value))


class Section:
    def __init__(self, data, at):
        (self.name, self.segment, self.address, self.size, offset, align, relocations, count,
         flags) = struct.unpack_from("<16s16s2Q5I", data, at)
        self.align = 1 << align
        self.content = bytearray(self.size) if flags & 0xFF == ZEROFILL else bytearray(
            data[offset:offset + self.size])
        self.is_debug = self.segment.startswith((b"__DWARF", b"__LD"))
        self.relocations = [struct.unpack_from("<iI", data, relocations + 8 * n)
                            for n in range(count)]
        self.place = None


class Image:
    """Objects put together at `base`: the bytes to load there, and where names are."""

    def __init__(self, paths, base):
        self.base = base
        self.objects = [Object(path) for path in paths]
        self.names, self.got = {}, {}
        at = base
        for section in self._sections():
            at = -(-at // section.align) * section.align
            section.place = at
            at += section.size
        self.got_start = self.got_end = -(-at // 16) * 16
        for obj in self.objects:
            for name, kind, number, value in obj.symbols:
                if kind & DEBUG or kind & TYPE != IN_SECTION:
                    continue
                section = obj.sections[number - 1]
                if section.place is None:
                    continue
                if kind & EXTERNAL and name in self.names:
                    raise Malformed(f"{name} is defined twice, again in {obj.path}")
                if kind & EXTERNAL or name not in self.names:
                    self.names[name] = section.place + value - section.address
        for obj in self.objects:
            for section in obj.sections:
                if section.place is not None:
                    self._relocate(obj, section)

    def _sections(self):
        for obj in self.objects:
            for section in obj.sections:
                if not section.is_debug:
                    yield section

    def bytes(self):
        out = bytearray(self.got_end - self.base)
        for section in self._sections():
            start = section.place - self.base
            out[start:start + section.size] = section.content
        for target, slot in self.got.items():
            struct.pack_into("<Q", out, slot - self.base, target)
        return bytes(out)

    def _slot(self, target):
        """Where the address of a symbol is kept."""
        if target not in self.got:
            self.got[target] = self.got_end
            self.got_end += 8
        return self.got[target]

    def _symbol(self, obj, number):
        name, kind, section, value = obj.symbols[number]
        if kind & TYPE == IN_SECTION:
            section = obj.sections[section - 1]
            return section.place + value - section.address
        if name not in self.names:
            raise Malformed(f"{obj.path} wants {name}, which nothing defines")
        return self.names[name]

    def _relocate(self, obj, section):
        addend = 0
        for at, word in section.relocations:
            number, length, kind = word & 0xFFFFFF, word >> 25 & 3, word >> 28
            is_symbol = word >> 27 & 1
            place = section.place + at
            if kind == ADDEND:
                addend = number - (1 << 24 if number >> 23 else 0)
                continue
            if kind == UNSIGNED:
                if length != 3:
                    raise Malformed(f"{obj.path}: a pointer of {1 << length} bytes")
                value, = struct.unpack_from("<Q", section.content, at)
                if is_symbol:
                    value += self._symbol(obj, number)
                else:
                    target = obj.sections[number - 1]
                    value += target.place - target.address
                struct.pack_into("<Q", section.content, at, value)
                continue
            if not is_symbol:
                raise Malformed(f"{obj.path}: relocation {kind} without a symbol")
            target = self._symbol(obj, number) + addend
            addend = 0
            code, = struct.unpack_from("<I", section.content, at)
            struct.pack_into("<I", section.content, at, self._patched(obj, kind, code, place, target))

    def _patched(self, obj, kind, code, place, target):
        if kind in (GOT_PAGE21, GOT_PAGEOFF12):
            target = self._slot(target)
        if kind == BRANCH26:
            return code | (target - place) // 4 & 0x3FFFFFF
        if kind in (PAGE21, GOT_PAGE21):
            pages = (target >> 12) - (place >> 12)
            return code | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
        if kind in (PAGEOFF12, GOT_PAGEOFF12):
            scale = 0
            if code & 0x3B000000 == 0x39000000:       # a load or store counts in units of its size
                scale = code >> 30
                if scale == 0 and code & 0x04800000 == 0x04800000:
                    scale = 4
            return code | (target & 0xFFF) >> scale << 10
        raise Malformed(f"{obj.path}: relocation {kind}")
