/** What the tests use of fengari, which brings no types. Values on the Lua stack are addressed by index, -1 is the top. */
declare module 'fengari' {
  interface LuaState {
    readonly fengari: true
  }
  export const lua: {
    readonly LUA_OK: number
    readonly LUA_TNIL: number
    readonly LUA_TBOOLEAN: number
    readonly LUA_TNUMBER: number
    readonly LUA_TSTRING: number
    readonly LUA_TTABLE: number
    lua_pushnil(L: LuaState): void
    lua_pushboolean(L: LuaState, value: boolean): void
    lua_pushnumber(L: LuaState, value: number): void
    lua_pushinteger(L: LuaState, value: number): void
    lua_pushstring(L: LuaState, value: Uint8Array): void
    lua_createtable(L: LuaState, items: number, fields: number): void
    lua_settable(L: LuaState, index: number): void
    lua_setglobal(L: LuaState, name: Uint8Array): void
    lua_pcall(L: LuaState, args: number, results: number, handler: number): number
    lua_type(L: LuaState, index: number): number
    lua_toboolean(L: LuaState, index: number): boolean
    lua_tonumber(L: LuaState, index: number): number
    lua_tojsstring(L: LuaState, index: number): string
    lua_next(L: LuaState, index: number): number
    lua_pop(L: LuaState, count: number): void
    lua_gettop(L: LuaState): number
  }
  export const lauxlib: {
    luaL_newstate(): LuaState
    luaL_loadstring(L: LuaState, code: Uint8Array): number
  }
  export const lualib: { luaL_openlibs(L: LuaState): void }
  export function to_luastring(text: string): Uint8Array
}
