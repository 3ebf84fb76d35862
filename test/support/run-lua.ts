import { lauxlib, lua, lualib, to_luastring } from 'fengari'

type LuaState = ReturnType<typeof lauxlib.luaL_newstate>

/** fengari prints the mark that asks for UTC instead of obeying it, so times come out local. */
const prelude = `local date = os.date
os.date = function(format, time) return date((format:gsub('^!', '')), time) end
`

/** Runs a script with a global `obj`, as Argo CD does, and returns what it returns. */
export function runLua(script: string, obj: unknown): unknown {
  const state = lauxlib.luaL_newstate()
  lualib.luaL_openlibs(state)
  push(state, obj)
  lua.lua_setglobal(state, to_luastring('obj'))
  const loaded = lauxlib.luaL_loadstring(state, to_luastring(prelude + script))
  const ended = loaded === lua.LUA_OK ? lua.lua_pcall(state, 0, 1, 0) : loaded
  if (ended !== lua.LUA_OK) throw new Error(lua.lua_tojsstring(state, -1))
  return read(state, lua.lua_gettop(state))
}

function push(state: LuaState, value: unknown): void {
  if (typeof value === 'string') return lua.lua_pushstring(state, to_luastring(value))
  if (typeof value === 'boolean') return lua.lua_pushboolean(state, value)
  if (typeof value === 'number') {
    return Number.isInteger(value) ? lua.lua_pushinteger(state, value) : lua.lua_pushnumber(state, value)
  }
  if (typeof value !== 'object' || value === null) return lua.lua_pushnil(state)
  lua.lua_createtable(state, 0, 0)
  for (const [key, inner] of Object.entries(value)) {
    push(state, Array.isArray(value) ? Number(key) + 1 : key)
    push(state, inner)
    lua.lua_settable(state, -3)
  }
}

/** A table whose keys are 1, 2, … is a list; an empty one counts as an object. */
function read(state: LuaState, index: number): unknown {
  switch (lua.lua_type(state, index)) {
    case lua.LUA_TBOOLEAN:
      return lua.lua_toboolean(state, index)
    case lua.LUA_TNUMBER:
      return lua.lua_tonumber(state, index)
    case lua.LUA_TSTRING:
      return lua.lua_tojsstring(state, index)
    case lua.LUA_TTABLE:
      return readTable(state, index)
    default:
      return undefined
  }
}

function readTable(state: LuaState, index: number): unknown {
  const entries: [unknown, unknown][] = []
  lua.lua_pushnil(state)
  while (lua.lua_next(state, index) !== 0) {
    const top = lua.lua_gettop(state)
    entries.push([read(state, top - 1), read(state, top)])
    lua.lua_pop(state, 1)
  }
  const isList = entries.length > 0 && entries.every(([key], position) => key === position + 1)
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
