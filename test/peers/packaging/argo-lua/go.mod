module joinery.dev/peers/argo-lua

go 1.21

require github.com/yuin/gopher-lua v1.1.1
