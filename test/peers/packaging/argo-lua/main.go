// Runs Lua as Argo CD does: gopher-lua with the libraries that Argo CD opens for health checks and actions, and no others. Reads a JSON
// array of {"script", "obj"} and prints an array of {"result"} or {"error"}.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
)

type job struct {
	Script string `json:"script"`
	Obj    any    `json:"obj"`
}

type outcome struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

func main() {
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	outcomes := make([]outcome, len(jobs))
	for i, one := range jobs {
		result, err := run(one)
		if err != nil {
			outcomes[i].Error = err.Error()
		} else {
			outcomes[i].Result = result
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcomes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(one job) (any, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.LoadLibName, lua.OpenPackage},
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.OsLibName, openSafeOS},
	} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(library.open), NRet: 0, Protect: true}, lua.LString(library.name)); err != nil {
			return nil, err
		}
	}
	state.SetGlobal("obj", toLua(state, one.Obj))
	if err := state.DoString(one.Script); err != nil {
		return nil, err
	}
	return fromLua(state.Get(-1)), nil
}

// Of the os library Argo CD has time and date only.
func openSafeOS(state *lua.LState) int {
	module := state.RegisterModule(lua.OsLibName, map[string]lua.LGFunction{
		"time": func(state *lua.LState) int {
			if state.GetTop() > 0 {
				table := state.CheckTable(1)
				part := func(name string, otherwise int) int {
					if number, ok := table.RawGetString(name).(lua.LNumber); ok {
						return int(number)
					}
					return otherwise
				}
				at := time.Date(part("year", 1970), time.Month(part("month", 1)), part("day", 1), part("hour", 12), part("min", 0), part("sec", 0), 0, time.UTC)
				state.Push(lua.LNumber(at.Unix()))
				return 1
			}
			state.Push(lua.LNumber(time.Now().Unix()))
			return 1
		},
		"date": func(state *lua.LState) int {
			at := time.Now().UTC()
			if state.GetTop() >= 2 {
				at = time.Unix(state.CheckInt64(2), 0).UTC()
			}
			if state.CheckString(1) != "!%Y-%m-%dT%H:%M:%SZ" && state.CheckString(1) != "%Y-%m-%dT%H:%M:%SZ" {
				state.RaiseError("this date format is not known here: %s", state.CheckString(1))
			}
			state.Push(lua.LString(at.Format("2006-01-02T15:04:05Z")))
			return 1
		},
	})
	state.Push(module)
	return 1
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case string:
		return lua.LString(typed)
	case bool:
		return lua.LBool(typed)
	case float64:
		return lua.LNumber(typed)
	case []any:
		table := state.CreateTable(len(typed), 0)
		for _, item := range typed {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(typed))
		for name, child := range typed {
			table.RawSetString(name, toLua(state, child))
		}
		return table
	default:
		return lua.LNil
	}
}

// A table whose keys are 1, 2, … is a list; an empty one counts as an object.
func fromLua(value lua.LValue) any {
	switch typed := value.(type) {
	case lua.LString:
		return string(typed)
	case lua.LBool:
		return bool(typed)
	case lua.LNumber:
		return float64(typed)
	case *lua.LTable:
		if typed.Len() > 0 {
			items := make([]any, 0, typed.Len())
			for i := 1; i <= typed.Len(); i++ {
				items = append(items, fromLua(typed.RawGetInt(i)))
			}
			return items
		}
		object := map[string]any{}
		typed.ForEach(func(key, child lua.LValue) { object[key.String()] = fromLua(child) })
		return object
	default:
		return nil
	}
}
