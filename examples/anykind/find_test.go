package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

// served returns a resource as discovery describes it.
func served(version, resource, kind string, verbs ...string) discovery.Resource {
	return discovery.Resource{
		ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: version, Resource: resource}, Kind: kind},
		Verbs:        verbs,
	}
}

// Suggestions are similar, can be watched, and are listed once, even if the server has
// several versions.
func TestNearest(t *testing.T) {
	deployments := served("v1", "deployments", "Deployment", "list", "watch")
	deployments.ShortNames = []string{"deploy"}
	older := deployments
	older.Version = "v1beta1"
	all := []discovery.Resource{deployments, older, served("v1", "deploys", "Deploys", "create")}
	for name, want := range map[string][]string{
		"deplxy":               {"deployments.apps (deploy)"}, // one letter of six
		"dxplxy":               {"deployments.apps (deploy)"}, // two letters: a third
		"dxplxx":               nil,                           // three letters
		"eplo":                 nil,                           // two of four
		"deployements.v1.apps": {"deployments.apps (deploy)"},
		"DEPLOYMENTZ":          {"deployments.apps (deploy)"},
		"dep":                  {"deployments.apps (deploy)"}, // the beginning
		"de":                   nil,                           // too short
	} {
		require.Equal(t, want, nearest(name, all), name)
	}
}

// There are at most three suggestions, the most similar first.
func TestNearestAreFew(t *testing.T) {
	var all []discovery.Resource
	for _, resource := range []string{"bbrobs", "bobobs", "jobobs", "jobxbs", "joaobs"} {
		all = append(all, served("v1", resource, "", "list", "watch"))
	}
	require.Equal(t, []string{"jobobs.apps", "bobobs.apps", "jobxbs.apps"}, nearest("jobobx", all))
}

// The distance is symmetric.
func TestDistanceIsSymmetric(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"pod", "pod"}: 0, {"pod", ""}: 3, {"pod", "pods"}: 1, {"pod", "pad"}: 1, {"opd", "pod"}: 2, {"kitten", "sitting"}: 3,
	} {
		require.Equal(t, want, distance(pair[0], pair[1]), pair)
		require.Equal(t, want, distance(pair[1], pair[0]), pair)
	}
}
