// Tells what Argo CD would call out of sync, by gitops-engine, its own library. Reads a JSON array of {"config", "live", "dryRun"}: what Git says,
// what the cluster has, and, for a comparison by the server, what it answered to a dry run. Prints an array of {"modified", "live", "predicted"}
// or {"error"}: what was compared, where it differs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/diff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type job struct {
	Config json.RawMessage `json:"config"`
	Live   json.RawMessage `json:"live"`
	DryRun json.RawMessage `json:"dryRun,omitempty"`
}

// Run makes it what Argo CD asks for a dry run.
func (each job) Run(context.Context, *unstructured.Unstructured, string) (string, error) {
	return string(each.DryRun), nil
}

type outcome struct {
	Modified  bool            `json:"modified"`
	Live      json.RawMessage `json:"live,omitempty"`
	Predicted json.RawMessage `json:"predicted,omitempty"`
	Error     string          `json:"error,omitempty"`
}

func main() {
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fail(err)
	}
	outcomes := make([]outcome, len(jobs))
	for i, each := range jobs {
		result, err := compare(each)
		if err != nil {
			result = outcome{Error: err.Error()}
		}
		outcomes[i] = result
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcomes); err != nil {
		fail(err)
	}
}

func compare(each job) (outcome, error) {
	config, live := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	// Reads whole numbers as Kubernetes does, not as floats.
	if err := config.UnmarshalJSON(each.Config); err != nil {
		return outcome{}, fmt.Errorf("config: %w", err)
	}
	if err := live.UnmarshalJSON(each.Live); err != nil {
		return outcome{}, fmt.Errorf("live: %w", err)
	}
	var options []diff.Option
	if len(each.DryRun) > 0 {
		// What webhooks change counts, as with Argo CD's IncludeMutationWebhook.
		options = append(options, diff.WithServerSideDiff(true), diff.WithServerSideDryRunner(each), diff.WithIgnoreMutationWebhook(false))
	}
	result, err := diff.Diff(config, live, options...)
	if err != nil {
		return outcome{}, err
	}
	if !result.Modified {
		return outcome{}, nil
	}
	return outcome{Modified: true, Live: result.NormalizedLive, Predicted: result.PredictedLive}, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
