-- Calls C functions through farcall from LuaJIT: nothing is compiled, and nothing installed but
-- libfarcall and its header.
--
--   luajit from_luajit.lua [LIBFARCALL [FARCALL_H]]
--
-- The library is the argument, else the environment's FARCALL_LIBRARY, else what the system's loader
-- finds. The header is the argument, else the environment's FARCALL_HEADER, else that of the source
-- tree, of /usr/local/include or of /usr/include.

local ffi = require("ffi")

local library_path = arg[1] or os.getenv("FARCALL_LIBRARY") or "libfarcall.so.0"

local function find_header()
  local own = arg[0]:gsub("[^/]*$", "") .. "../include"
  for _, folder in ipairs({ own, "/usr/local/include", "/usr/include" }) do
    local file = io.open(folder .. "/farcall.h")
    if file then
      file:close()
      return folder .. "/farcall.h"
    end
  end
  error("farcall.h is not found: name it as the second argument or in FARCALL_HEADER", 0)
end

local header_path = arg[2] or os.getenv("FARCALL_HEADER") or find_header()

-- The header is C declarations, but for the lines that begin with # and the braces of extern "C".
local function header(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  text = text:gsub("\\\n", " "):gsub("\n[ \t]*#[^\n]*", "\n")
  return (text:gsub('extern "C" {', ""):gsub('}%s*// extern "C"', ""))
end

ffi.cdef(header(header_path))
local farcall = ffi.load(library_path)

-- Raises farcall's message for what has failed.
local function check(status)
  if status ~= "FC_OK" then
    error(ffi.string(farcall.fc_error_message()), 0)
  end
end

-- C declarations, for farcall and for LuaJIT.
local function declare(source)
  ffi.cdef(source)
  local out = ffi.new("fc_decls *[1]")
  check(farcall.fc_decls_new(out))
  local decls = ffi.gc(out[0], farcall.fc_decls_free)
  check(farcall.fc_decls_add(decls, source))
  return decls
end

-- An open library: open("m").
local function open(name)
  local out = ffi.new("fc_library *[1]")
  check(farcall.fc_library_open(name, nil, out))
  return ffi.gc(out[0], farcall.fc_library_free)
end

-- farcall writes a type as C does, and LuaJIT reads it.
local function ctype(c_type)
  return ffi.typeof(ffi.string(farcall.fc_type_name(c_type)))
end

-- A function of a library, by its prototype or by its name in `decls`, as a function of Lua.
local function bind(library, prototype, decls)
  local out = ffi.new("fc_function *[1]")
  check(farcall.fc_bind(library, decls, prototype, nil, out))
  local handle = ffi.gc(out[0], farcall.fc_function_free)
  local signature = farcall.fc_function_signature(handle)
  local count = tonumber(farcall.fc_signature_param_count(signature))
  local boxes = {}
  for i = 1, count do
    boxes[i] = ffi.typeof("$[1]", ctype(farcall.fc_signature_param(signature, i - 1)))
  end
  local call = function(result, ...)
    if select("#", ...) ~= count then
      error(("expected %d arguments, got %d"):format(count, select("#", ...)), 3)
    end
    local values, pointers = {}, ffi.new("void *[?]", count)
    for i = 1, count do
      values[i] = boxes[i]({ (select(i, ...)) })
      pointers[i - 1] = values[i]
    end
    farcall.fc_invoke(handle, result, pointers)
  end

  local type = farcall.fc_signature_result(signature)
  local kind, name = farcall.fc_type_kind(type), ffi.string(farcall.fc_type_name(type))
  if kind == "FC_VOID" then
    return function(...)
      call(nil, ...)
    end
  end
  local is_record = kind == "FC_STRUCT" or kind == "FC_UNION"
  local is_string = name == "char *" or name == "const char *"
  local box = is_record and ctype(type) or ffi.typeof("$[1]", ctype(type))
  return function(...)
    local result = box()
    call(result, ...)
    if is_record then
      return result
    elseif is_string then
      return result[0] ~= nil and ffi.string(result[0]) or nil
    end
    return result[0]
  end
end

local function show(call, got, expected)
  print(("%s = %s"):format(call, tostring(got)))
  if got ~= expected then
    error(("%s: expected %s"):format(call, tostring(expected)), 0)
  end
end

local m, c, sqlite3 = open("m"), open("c"), open("sqlite3")

local pow = bind(m, "double pow(double, double)")
show("pow(2, 10)", pow(2, 10), 1024)

local abs = bind(c, "int abs(int)")
show("abs(-7)", abs(-7), 7)

local labs = bind(c, "long labs(long)")
show("labs(-7000000000)", labs(-7000000000LL), 7000000000LL)

local atoi = bind(c, "int atoi(const char *)")
show('atoi("42")', atoi("42"), 42)

-- Structs, returned and passed by value.
local decls = declare([[
  typedef struct { int quot, rem; } div_t;
  typedef struct { long quot, rem; } ldiv_t;
  struct in_addr { unsigned int s_addr; };
  div_t div(int, int);
  ldiv_t ldiv(long, long);
  char *inet_ntoa(struct in_addr);
]])
local quotient = bind(c, "div", decls)(17, 5)
show("div(17, 5).quot", quotient.quot, 3)
show("div(17, 5).rem", quotient.rem, 2)

quotient = bind(c, "ldiv", decls)(-17, 5)
show("ldiv(-17, 5).quot", quotient.quot, -3LL)
show("ldiv(-17, 5).rem", quotient.rem, -2LL)

local inet_ntoa = bind(c, "inet_ntoa", decls)
show("inet_ntoa(127.0.0.1)", inet_ntoa({ 0x0100007f }), "127.0.0.1")

-- An out parameter. It points into the text, which Lua keeps for as long as the variable holds it.
local strtol = bind(c, "long strtol(const char *, char **, int)")
local text, rest = "2a rest", ffi.new("char *[1]")
show('strtol("2a rest", &rest, 16)', strtol(text, rest, 16), 42LL)
show("rest", ffi.string(rest[0]), " rest")

local version = bind(sqlite3, "const char *sqlite3_libversion(void)")()
local number = bind(sqlite3, "int sqlite3_libversion_number(void)")()
local parts = { math.floor(number / 1000000), math.floor(number / 1000) % 1000, number % 1000 }
show("sqlite3_libversion()", version, table.concat(parts, "."))

local found, message = pcall(bind, m, "double power(double, double)")
assert(not found, "power was found")
print("error: " .. message)
