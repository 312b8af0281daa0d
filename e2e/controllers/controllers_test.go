package controllers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/interop/controllers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Controllers that are written for client-go behave with a real server as they do with
// apitest, and behave alike after their imports are switched.
func TestBothBuildsBehaveAlike(t *testing.T) {
	built, err := controllers.Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, servers.Close()) }()
	for _, program := range built {
		for name, file := range map[string]string{"client-go": program.ClientGo, "switched": program.Switched} {
			t.Run(program.Name+"/"+name, func(t *testing.T) {
				printed, err := controllers.Run(t.Context(), file, servers.Kubeconfig)
				require.NoError(t, err, printed)
				require.Equal(t, program.Prints, printed)
			})
		}
	}
}
