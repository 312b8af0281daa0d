package examples

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The program does the same with a real server, after -install with the installed
// permissions, and leaves no object that the next run would meet.
func TestQuickstart(t *testing.T) {
	servers := startPlane(t)
	file := program(t, "quickstart")
	out, err := output(t, file, "-kubeconfig", servers.Kubeconfig)
	require.Error(t, err)
	require.Contains(t, out, "run with -install")
	succeeds := func(args ...string) {
		t.Helper()
		out, err := output(t, file, args...)
		require.NoError(t, err, out)
		require.Contains(t, out, `reconcile  default/hello: set the message to "Hello, Gopher!"`)
		require.Regexp(t, `(?m)^\d+ reconciles, 0 errors, `, out)
	}
	succeeds("-kubeconfig", servers.Kubeconfig, "-install")
	succeeds("-kubeconfig", asServiceAccount(t, servers, "quickstart", "example.com", "greetings"))
}
