package apitest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// What the controllers of a cluster do, they do here when they are asked for:
// at once, and in fake time as well.
func TestControllersCollectGarbage(t *testing.T) {
	const in = inDefault + "configmaps"
	// own makes an owner and a dependent, and returns what is there after the
	// owner's deletion.
	own := func(t *testing.T, s *Server, policy string) (owner, dependent int) {
		code, made := exchange(t, s, "POST "+in, `{"metadata":{"name":"owner"}}`)
		require.Equal(t, 201, code)
		code, _ = exchange(t, s, "POST "+in, fmt.Sprintf(
			`{"metadata":{"name":"dependent","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q,"blockOwnerDeletion":true}]}}`, at(made, "metadata.uid")))
		require.Equal(t, 201, code)
		synctest.Wait()
		code, _ = exchange(t, s, "DELETE "+in+"/owner?propagationPolicy="+policy, "")
		require.Equal(t, 200, code)
		synctest.Wait()
		owner, _ = exchange(t, s, "GET "+in+"/owner", "")
		dependent, _ = exchange(t, s, "GET "+in+"/dependent", "")
		return owner, dependent
	}
	for _, c := range []struct {
		policy           string
		controllers      bool
		owner, dependent int
	}{
		{"Background", true, 404, 404}, {"Foreground", true, 404, 404}, {"Orphan", true, 404, 200},
		{"Background", false, 404, 200}, {"Foreground", false, 200, 200}, {"Orphan", false, 200, 200},
	} {
		t.Run(fmt.Sprint(c.policy, c.controllers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewServer(Options{InMemory: true, Controllers: c.controllers})
				defer s.Close()
				owner, dependent := own(t, s, c.policy)
				require.Equal(t, c.owner, owner, "the owner")
				require.Equal(t, c.dependent, dependent, "the dependent")
				if c.dependent == 200 && c.controllers {
					_, left := exchange(t, s, "GET "+in+"/dependent", "")
					require.Equal(t, "-", shown(at(left, "metadata.ownerReferences")))
				}
			})
		})
	}
}

func TestControllersEndNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(Options{InMemory: true, Controllers: true})
		defer s.Close()
		play(t, s, []step{
			{"POST /api/v1/namespaces", `{"metadata":{"name":"n"}}`, 201, nil},
			{"POST /api/v1/namespaces/n/configmaps", `{"metadata":{"name":"a"}}`, 201, nil},
			{"POST /api/v1/namespaces/n/secrets", `{"metadata":{"name":"b","finalizers":["example.com/x"]}}`, 201, nil},
			{"DELETE /api/v1/namespaces/n", "", 200, nil},
		})
		synctest.Wait()
		play(t, s, []step{
			{"GET /api/v1/namespaces/n/configmaps/a", "", 404, nil},
			{"GET /api/v1/namespaces/n", "", 200, map[string]string{"status.phase": "Terminating"}}, // somebody holds the secret
			{"PUT /api/v1/namespaces/n/secrets/b", `{"metadata":{"name":"b"}}`, 200, nil},
		})
		synctest.Wait()
		play(t, s, []step{{"GET /api/v1/namespaces/n", "", 404, nil}})
	})
}
