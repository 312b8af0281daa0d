package examples

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// liveView is a running visualizer.
type liveView struct {
	t *testing.T
	*running
	address string
}

func startLiveView(t *testing.T, args ...string) *liveView {
	t.Helper()
	v := &liveView{t: t, running: start(t, program(t, "visualizer"), append([]string{"-address", "127.0.0.1:0"}, args...)...)}
	v.until(`(?m)^stop: `)
	v.mu.Lock()
	defer v.mu.Unlock()
	_, after, _ := strings.Cut(v.text, "page: ")
	v.address, _, _ = strings.Cut(after, "/\n")
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return v
}

// log waits until the recorded log has a text, and returns the log.
func (v *liveView) log(want string) (log string) {
	v.t.Helper()
	require.EventuallyWithT(v.t, func(c *assert.CollectT) {
		response, err := http.Get(v.address + "/log")
		require.NoError(c, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(c, err)
		log = string(body)
		require.Contains(c, log, want)
	}, time.Minute, 100*time.Millisecond)
	return log
}

// use uses a control and returns the status of the response.
func (v *liveView) use(name, parameters string) (int, string) {
	v.t.Helper()
	response, err := http.Post(v.address+"/control/"+name, "application/json", strings.NewReader(parameters))
	require.NoError(v.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	return response.StatusCode, string(body)
}

// At a real server the live view only reads, unless -write allows its controls and its
// controller to write, for which rbac.yaml suffices. The token is not shown.
func TestVisualizerAtTheRealServer(t *testing.T) {
	servers := startPlane(t)
	client, err := rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	defer client.Close()
	theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "theirs"}}
	_, err = rest.NewResource[*corev1.ConfigMap](client, infoOf("", "configmaps", "ConfigMap")).Namespace("default").Create(t.Context(), theirs, metav1.CreateOptions{})
	require.NoError(t, err)

	reading := startLiveView(t, "-kubeconfig", servers.Kubeconfig, "-install")
	log := reading.log(`"chunked":true`)
	reading.log("nothing is written without -write")
	require.NotContains(t, log, servers.Tokens[plane.Admin])
	require.NotContains(t, log, `\"object\":`)
	code, answer := reading.use("create", "{}")
	require.Equal(t, http.StatusForbidden, code, answer)
	reading.stop()

	writing := startLiveView(t, "-kubeconfig", asServiceAccount(t, servers, "visualizer", "", "configmaps"), "-write", "-text")
	code, answer = writing.use("create", `{"name": "mine"}`)
	require.Equal(t, http.StatusOK, code, answer)
	writing.log("the copy is created")
	code, answer = writing.use("update", `{"name": "mine"}`)
	require.Equal(t, http.StatusOK, code, answer)
	writing.log("the copy is updated")
	code, answer = writing.use("cut", "{}")
	require.Equal(t, http.StatusOK, code, answer)
	writing.log("the connection was cut")
	code, answer = writing.use("delete", `{"name": "mine"}`)
	require.Equal(t, http.StatusOK, code, answer)
	log = writing.log("deleted: nothing to do")
	require.Contains(t, log, `\"object\":`)
	require.NotContains(t, log, servers.Tokens[plane.Admin])
	code, answer = writing.use("clear", "{}")
	require.Equal(t, http.StatusOK, code, answer)
}
