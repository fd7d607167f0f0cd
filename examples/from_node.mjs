// Calls C functions through farcall from Node, with koffi to load it: nothing is compiled.
//
//   npm install koffi
//   node from_node.mjs [LIBFARCALL]
//
// The library is the argument, else the environment's FARCALL_LIBRARY, else what the system's loader
// finds.

import koffi from 'koffi';

const libfarcall = load(process.argv[2] ?? process.env.FARCALL_LIBRARY ?? 'libfarcall.so.0');

function load(path) {
  try {
    return koffi.load(path);
  } catch (error) {
    throw new Error(`${path}: ${error.message}`);
  }
}

for (const handle of ['fc_library', 'fc_decls', 'fc_function', 'fc_signature', 'fc_type']) koffi.opaque(handle);
koffi.struct('fc_field', { name: 'const char *', type: 'fc_type *', bits: 'uint32_t', align: 'uint32_t' });
koffi.alias('fc_status', 'int');

/** The functions of farcall; those that return a status throw farcall's message instead. */
const fc = {};
for (const prototype of [
  'const char *fc_error_message()',
  'fc_status fc_library_open(const char *path, void *options, _Out_ fc_library **out)',
  'void fc_library_free(fc_library *library)',
  'fc_status fc_decls_new(_Out_ fc_decls **out)',
  'fc_status fc_decls_add(fc_decls *decls, const char *source)',
  'void fc_decls_free(fc_decls *decls)',
  'fc_status fc_bind(fc_library *library, fc_decls *decls, str prototype, void *options, _Out_ fc_function **out)',
  'fc_signature *fc_function_signature(fc_function *function)',
  'void fc_function_free(fc_function *function)',
  'void fc_invoke_slots(fc_function *function, void *result, void *slots)',
  'size_t fc_signature_param_count(fc_signature *signature)',
  'fc_type *fc_signature_param(fc_signature *signature, size_t index)',
  'fc_type *fc_signature_result(fc_signature *signature)',
  'int fc_type_kind(fc_type *type)',
  'size_t fc_type_size(fc_type *type)',
  'const char *fc_type_name(fc_type *type)',
  'fc_type *fc_type_element(fc_type *type)',
  'size_t fc_type_length(fc_type *type)',
  'size_t fc_type_field_count(fc_type *type)',
  'fc_status fc_type_field(fc_type *type, size_t index, _Out_ fc_field *out, _Out_ size_t *offset, void *bit)',
]) {
  const call = libfarcall.func(prototype);
  const [, name] = prototype.match(/fc_(\w+)\(/);
  fc[name] = !prototype.startsWith('fc_status') ? call : (...args) => {
    if (call(...args) !== 0) throw new Error(fc.error_message());
  };
}

const handles = new FinalizationRegistry((free) => free());

/** The handle that `make` gives; it is freed when nothing refers to its owner any more. */
function owned(owner, free, make, ...args) {
  const out = [null];
  make(...args, out);
  handles.register(owner, () => free(out[0]));
  return out[0];
}

/** C declarations, as gcc -E writes them. */
class Decls {
  constructor(source) {
    this.handle = owned(this, fc.decls_free, fc.decls_new);
    fc.decls_add(this.handle, source);
  }
}

/** An open library: new Library('m'). */
class Library {
  constructor(name) {
    this.handle = owned(this, fc.library_free, fc.library_open, name, null);
  }

  /**
   * The function of this prototype, or of this name in `decls`, as a function of JavaScript. It takes
   * objects for structs, and for pointers null, addresses (BigInt), strings, and buffers.
   */
  bind(prototype, decls = null) {
    const bound = (...args) => invoke(handle, params, result, args);
    const handle = owned(bound, fc.function_free, fc.bind, this.handle, decls && decls.handle, prototype, null);
    const signature = fc.function_signature(handle);
    const params = list(fc.signature_param_count(signature), (i) => describe(fc.signature_param(signature, i)));
    const result = describe(fc.signature_result(signature));
    return bound;
  }
}

/** Arguments and result have slots of 8 bytes; what is larger stands elsewhere, and its address in the slot. */
function invoke(handle, params, result, args) {
  if (args.length !== params.length) {
    throw new TypeError(`expected ${params.length} arguments, got ${args.length}`);
  }
  const kept = []; // what only C has the address of
  const memory = (size) => {
    const view = new DataView(new ArrayBuffer(Math.max(size, 8)));
    kept.push(view);
    return view;
  };
  const place = (slots, at, type) => {
    if (type.size <= 8) return [slots, at];
    const large = memory(type.size);
    slots.setBigUint64(at, koffi.address(large), true);
    return [large, 0];
  };
  const slots = memory(8 * params.length);
  params.forEach((type, i) => write(...place(slots, 8 * i, type), type, args[i], kept));
  const slot = memory(8);
  const [view, at] = place(slot, 0, result);
  fc.invoke_slots(handle, slot, slots);
  kept.length = 0; // not before the call
  return read(view, at, result);
}

// The numbers are those of fc_kind.
const [VOID, BOOL, POINTER, STRUCT, UNION, ARRAY, ENUM] = [0, 1, 32, 64, 65, 66, 69];
const NUMBERS = {
  2: 'Int8', 3: 'Uint8', 4: 'Int16', 5: 'Uint16', 6: 'Int32', 7: 'Uint32', 8: 'BigInt64', 9: 'BigUint64',
  17: 'Float32', 18: 'Float64',
};

const list = (length, element) => Array.from({ length }, (_, i) => element(i));

/** What has to be known of a type to read and write its values. */
function describe(type) {
  const [kind, size, name] = [fc.type_kind(type), fc.type_size(type), fc.type_name(type)];
  if (kind === VOID || kind === BOOL || kind === POINTER) return { kind, size, name };
  if (kind in NUMBERS) return { kind, size, number: NUMBERS[kind] };
  if (kind === ENUM) return describe(fc.type_element(type));
  if (kind === ARRAY) {
    const element = describe(fc.type_element(type));
    return { kind, size, fields: list(fc.type_length(type), (i) => [i, element, i * element.size]) };
  }
  if (kind === STRUCT || kind === UNION) {
    return { kind, size, fields: list(fc.type_field_count(type), (i) => describeField(type, i)) };
  }
  throw new TypeError(`JavaScript has no values for ${name}`);
}

function describeField(type, index) {
  const [field, offset] = [{}, [0]];
  fc.type_field(type, index, field, offset, null);
  if (field.bits || !field.name) throw new TypeError(`${fc.type_name(type)}: member ${index} has no bytes of its own`);
  return [field.name, describe(field.type), offset[0]];
}

function write(view, at, type, value, kept) {
  if (type.fields) {
    for (const [name, field, offset] of type.fields) {
      if (name in value) write(view, at + offset, field, value[name], kept);
    }
  } else if (type.number) {
    view[`set${type.number}`](at, type.number.startsWith('Big') ? BigInt(value) : value, true);
  } else if (type.kind === BOOL) {
    view.setUint8(at, value ? 1 : 0);
  } else {
    const pointee = typeof value === 'string' ? Buffer.from(`${value}\0`) : value;
    kept.push(pointee);
    view.setBigUint64(at, typeof pointee === 'bigint' ? pointee : koffi.address(pointee), true);
  }
}

function read(view, at, type) {
  if (type.kind === VOID) return undefined;
  if (type.kind === BOOL) return view.getUint8(at) !== 0;
  if (type.fields) {
    const value = type.kind === ARRAY ? [] : {};
    for (const [name, field, offset] of type.fields) value[name] = read(view, at + offset, field);
    return value;
  }
  if (type.number) return view[`get${type.number}`](at, true);
  const address = view.getBigUint64(at, true);
  if (address === 0n) return null;
  return /^(const )?char \*$/.test(type.name) ? koffi.decode.string(address) : address;
}

function show(call, got, expected) {
  console.log(call, '=', got);
  if (JSON.stringify(got, exact) !== JSON.stringify(expected, exact)) throw new Error(`${call}: expected ${expected}`);
}
const exact = (_, value) => (typeof value === 'bigint' ? `${value}n` : value);

const m = new Library('m');
const c = new Library('c');
const sqlite3 = new Library('sqlite3');

const pow = m.bind('double pow(double, double)');
show('pow(2, 10)', pow(2, 10), 1024);

const abs = c.bind('int abs(int)');
show('abs(-7)', abs(-7), 7);

const labs = c.bind('long labs(long)');
show('labs(-7000000000)', labs(-7000000000), 7000000000n);

const atoi = c.bind('int atoi(const char *)');
show('atoi("42")', atoi('42'), 42);

// Structs, returned and passed by value.
const decls = new Decls(`
  typedef struct { int quot, rem; } div_t;
  typedef struct { long quot, rem; } ldiv_t;
  struct in_addr { unsigned int s_addr; };
  div_t div(int, int);
  ldiv_t ldiv(long, long);
  char *inet_ntoa(struct in_addr);
`);
const div = c.bind('div', decls);
show('div(17, 5)', div(17, 5), { quot: 3, rem: 2 });

const ldiv = c.bind('ldiv', decls);
show('ldiv(-17, 5)', ldiv(-17, 5), { quot: -3n, rem: -2n });

const inet_ntoa = c.bind('inet_ntoa', decls);
show('inet_ntoa(127.0.0.1)', inet_ntoa({ s_addr: 0x0100007f }), '127.0.0.1');

// An out parameter. It points into the text, which is therefore kept in a variable.
const strtol = c.bind('long strtol(const char *, char **, int)');
const text = Buffer.from('2a rest\0');
const end = new BigUint64Array(1);
show('strtol("2a rest", &end, 16)', strtol(text, end, 16), 42n);
show('end - text', end[0] - koffi.address(text), 2n);

const libversion = sqlite3.bind('const char *sqlite3_libversion(void)');
const number = sqlite3.bind('int sqlite3_libversion_number(void)')();
const parts = [number / 1000000, (number / 1000) % 1000, number % 1000].map(Math.floor);
show('sqlite3_libversion()', libversion(), parts.join('.'));

let failure;
try {
  m.bind('double power(double, double)');
} catch (error) {
  failure = error;
}
if (!failure) throw new Error('power was found');
console.log(`error: ${failure.message}`);
