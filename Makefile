# make demo    builds farcall and shows calls into libm, zlib and sqlite3
# make test    everything that a change must pass
# The rest stands below, one rule a command.

CARGO ?= cargo
PREFIX ?= /usr/local
LIBDIR ?= lib
BUILD := build
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
LIB_DIR := $(TARGET_DIR)/release
N ?= 20000
SEED ?= 1
SECONDS ?= 600
HELGRIND_SECONDS ?= 60

# Generated, or kept word for word.
NOT_FORMATTED := include/farcall.h c_tests/contract/contract.h
C_FILES = $(filter-out $(NOT_FORMATTED),$(sort $(shell find c_tests examples bench \
	\( -path '*/build/*' -o -name node_modules \) -prune \
	-o \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \) -print)))

.PHONY: all build setup demo test check-format-rust check-format-c lint test-rust test-abi \
	aarch64 build-aarch64 test-abi-aarch64 bench-aarch64 abi-soak test-emulator emulator-soak test-c-gcc test-c-clang test-examples test-install bench \
	fuzz header licenses format install uninstall valgrind \
	helgrind sanitize clean
.NOTPARALLEL:

all: build

# Programs that link the library look for it by its SONAME.
build:
	$(CARGO) build --release
	@ln -sf libfarcall.so $(LIB_DIR)/libfarcall.so.0

setup:
	@scripts/setup.sh

demo:
	@scripts/setup.sh demo
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh $(LIB_DIR)

test: setup check-format-rust check-format-c lint build test-abi test-emulator test-rust test-c-clang test-c-gcc \
	test-examples test-install aarch64

check-format-rust:
	$(CARGO) fmt --check

check-format-c:
	clang-format-19 --dry-run -Werror $(C_FILES)

lint:
	$(CARGO) clippy --release --all-targets -- -D warnings

# The tests' own steps are run when what they test, or what tests it, has changed.
test-rust:
	scripts/once.sh $(BUILD)/rust.passed src tests include Cargo.toml Cargo.lock build.rs \
		cbindgen.toml fuzz/corpus fuzz/fuzz_targets c_tests/tricky_declarations.inc -- $(CARGO) nextest run --release

AARCH64 := aarch64-unknown-linux-gnu
AARCH64_LIB_DIR := target-aarch64/$(AARCH64)/release
# Debian's Rust, which has a standard library for aarch64; another may be named.
AARCH64_RUSTC ?= /usr/bin/rustc
AARCH64_CARGO ?= /usr/bin/cargo
QEMU ?= qemu-aarch64
ABI = c_tests/abi/run.py --include include
ABI_sysv64 = python3 $(ABI) --build-dir $(BUILD)/abi-sysv64 --lib-dir $(LIB_DIR)
ABI_win64 = python3 $(ABI) --build-dir $(BUILD)/abi-win64 --lib-dir $(LIB_DIR) --convention win64
ABI_aapcs64 = python3 $(ABI) --build-dir $(BUILD)/abi-aapcs64 --lib-dir $(AARCH64_LIB_DIR) \
	--convention aapcs64
ABI_apple64 = $(BUILD)/unicorn/bin/python $(ABI) --build-dir $(BUILD)/abi-apple64 \
	--farcall $(LIB_DIR)/farcall --convention apple64
CONVENTION ?= sysv64

test-abi: build
	scripts/once.sh $(BUILD)/abi-sysv64.passed $(LIB_DIR)/libfarcall.so include c_tests/abi -- \
		$(ABI_sysv64) --count 500
	scripts/once.sh $(BUILD)/abi-win64.passed $(LIB_DIR)/libfarcall.so include c_tests/abi -- \
		$(ABI_win64) --count 300
	scripts/once.sh $(BUILD)/abi-static.passed $(LIB_DIR)/libfarcall.so include c_tests/abi -- \
		env FARCALL_CODE=none sh -c '$(ABI_sysv64) --first 1000 --count 100 && \
			$(ABI_win64) --first 1000 --count 100'
	scripts/once.sh $(BUILD)/abi-apple64.passed $(LIB_DIR)/farcall c_tests/abi c_tests/emulator -- \
		$(ABI_apple64) --count 60

# The library for aarch64, its C tests and the generator, under qemu.
aarch64: build-aarch64 test-abi-aarch64
	scripts/once.sh $(BUILD)/c-aarch64.passed $(AARCH64_LIB_DIR)/libfarcall.so include c_tests -- \
		env MODES='stubs none' scripts/ctest.sh $(BUILD)/c-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ \
		$(AARCH64_LIB_DIR) include c_tests/aarch64.cmake

build-aarch64:
	RUSTC=$(AARCH64_RUSTC) CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc \
		CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		$(AARCH64_CARGO) build --release --lib --no-default-features --target $(AARCH64) \
		--target-dir target-aarch64
	@ln -sf libfarcall.so $(AARCH64_LIB_DIR)/libfarcall.so.0

test-abi-aarch64: build-aarch64
	scripts/once.sh $(BUILD)/abi-aapcs64.passed $(AARCH64_LIB_DIR)/libfarcall.so include c_tests/abi -- \
		$(ABI_aapcs64) --count 200
	scripts/once.sh $(BUILD)/abi-aapcs64-static.passed $(AARCH64_LIB_DIR)/libfarcall.so include c_tests/abi -- \
		env FARCALL_CODE=none $(ABI_aapcs64) --first 1000 --count 50

# make abi-soak N=100000 SEED=7 CONVENTION=win64
abi-soak: build
	$(ABI_$(CONVENTION)) --seed $(SEED) --count $(N)

EMULATOR = $(BUILD)/unicorn/bin/python c_tests/emulator/run.py --farcall $(LIB_DIR)/farcall

# Stubs of all four conventions in a CPU emulator.
test-emulator: build
	scripts/once.sh $(BUILD)/emulator.passed $(LIB_DIR)/farcall c_tests/emulator -- \
		sh -c '$(EMULATOR) --self-check --count 40 && $(EMULATOR) --count 250'

# make emulator-soak N=20000 SEED=7
emulator-soak: build
	$(EMULATOR) --seed $(SEED) --count $(N)

test-c-gcc: build
	scripts/once.sh $(BUILD)/c-gcc.passed $(LIB_DIR)/libfarcall.so include c_tests -- \
		scripts/ctest.sh $(BUILD)/c-gcc gcc g++ $(LIB_DIR) include

test-c-clang: build
	scripts/once.sh $(BUILD)/c-clang.passed $(LIB_DIR)/libfarcall.so include c_tests -- \
		env MODES=stubs scripts/ctest.sh $(BUILD)/c-clang clang-19 clang++-19 $(LIB_DIR) include

test-examples: build
	scripts/once.sh $(BUILD)/examples.passed $(LIB_DIR)/libfarcall.so include examples \
		c_tests/examples c_tests/commands.py -- \
		python3 c_tests/examples/run.py --lib-dir $(LIB_DIR) --include include \
		--node $(BUILD)/koffi --build-dir $(BUILD)/examples

test-install: build
	scripts/once.sh $(BUILD)/install.passed $(LIB_DIR)/libfarcall.so $(LIB_DIR)/libfarcall.a \
		include scripts/install.sh scripts/install c_tests/install c_tests/commands.py \
		c_tests/header/symbols.py Cargo.toml Cargo.lock scripts/licenses.py $(wildcard LICENSE-*) -- \
		python3 c_tests/install/run.py --lib-dir $(LIB_DIR) --header include/farcall.h \
		--build-dir $(BUILD)/install

bench: build
	$(MAKE) -C bench LIB_DIR=$(abspath $(LIB_DIR)) INCLUDE_DIR=$(abspath include) \
		BUILD_DIR=$(abspath $(BUILD)/bench)

# What cannot be timed under an emulator is counted: instructions of a call, beside libffi's.
bench-aarch64: build-aarch64
	$(MAKE) -C bench instructions LIB_DIR=$(abspath $(AARCH64_LIB_DIR)) \
		INCLUDE_DIR=$(abspath include) BUILD_DIR=$(abspath $(BUILD)/bench) QEMU=$(QEMU)

# Looks for texts that the parser of declarations does not survive: make fuzz SECONDS=3600
fuzz:
	RUSTC_BOOTSTRAP=1 $(CARGO) fuzz run declarations -- -max_total_time=$(SECONDS) -timeout=5 \
		-rss_limit_mb=2048 -max_len=4096 -dict=fuzz/declarations.dict

# include/farcall.h is checked in; a test compares it with what cbindgen makes of src/.
header:
	FARCALL_UPDATE_HEADER=1 $(CARGO) nextest run --release --test header

# LICENSE-THIRD-PARTY is checked in too; a test looks whether it names what is linked.
licenses:
	scripts/licenses.py

format:
	$(CARGO) fmt
	clang-format-19 -i $(C_FILES)

# make install PREFIX=/usr LIBDIR=lib/x86_64-linux-gnu DESTDIR=package
# Where there is no cargo, as under sudo, what has been built before is installed.
install:
	@if command -v $(CARGO) >/dev/null; then $(MAKE) --no-print-directory build; fi
	@PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' DESTDIR='$(DESTDIR)' scripts/install.sh install $(LIB_DIR)

uninstall:
	@PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' DESTDIR='$(DESTDIR)' scripts/install.sh uninstall

valgrind: test-c-gcc
	scripts/valgrind.sh $(BUILD)/c-gcc

# Looks for data races: eight threads make, call and free callbacks and functions.
# make helgrind HELGRIND_SECONDS=600
helgrind:
	CARGO=$(CARGO) scripts/helgrind.sh $(BUILD)/helgrind $(TARGET_DIR)/helgrind $(HELGRIND_SECONDS)

# The C tests with AddressSanitizer, and those of threads with ThreadSanitizer, the library included.
sanitize: build
	scripts/sanitize_address.sh $(BUILD)/c-address $(LIB_DIR)
	CARGO=$(CARGO) scripts/sanitize_threads.sh $(BUILD)/c-threads $(TARGET_DIR)/threads

clean:
	$(CARGO) clean
	rm -rf $(BUILD)
