// Judges objects by kstatus, the library by which Flux, Helm 4 and kpt tell whether an object has become what it is meant to be. Reads a JSON
// array of objects and prints an array of {"status", "message"} or {"error"}.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type verdict struct {
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"`
}

func main() {
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		fail(err)
	}
	verdicts := make([]verdict, len(objects))
	for i, text := range objects {
		verdicts[i] = judge(text)
	}
	if err := json.NewEncoder(os.Stdout).Encode(verdicts); err != nil {
		fail(err)
	}
}

func judge(text []byte) verdict {
	object := &unstructured.Unstructured{}
	// Reads whole numbers as Kubernetes does, not as floats.
	if err := object.UnmarshalJSON(text); err != nil {
		return verdict{Error: err.Error()}
	}
	result, err := status.Compute(object)
	if err != nil {
		return verdict{Error: err.Error()}
	}
	return verdict{Status: result.Status.String(), Message: result.Message}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
