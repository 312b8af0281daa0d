package examples

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The story is the same at a real server, after -install with the rights that
// were installed, and leaves nothing behind that would be in its way.
func TestQuickstart(t *testing.T) {
	servers := startPlane(t)
	file := program(t, "quickstart")
	out, err := output(t, file, "-kubeconfig", servers.Kubeconfig)
	require.Error(t, err)
	require.Contains(t, out, "run with -install")
	for _, args := range [][]string{
		{"-kubeconfig", servers.Kubeconfig, "-install"},
		{"-kubeconfig", asServiceAccount(t, servers, "quickstart")},
	} {
		out, err := output(t, file, args...)
		require.NoError(t, err, out)
		require.Contains(t, out, `reconcile  default/hello: the message is to be "Hello, Gopher!"`)
		require.Regexp(t, `(?m)^\d+ reconciles, 0 errors, `, out)
	}
}
