package apitest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// Pod has the fields of a pod that the test needs.
type Pod struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status"`
}

var pods = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}

// A server works with any client.
func ExampleServer() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	resource := rest.NewResource[*Pod](client, pods).Namespace("default")
	created, err := resource.Create(context.Background(), &Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}, metav1.CreateOptions{})
	fmt.Println(created.Name, created.UID != "", err)
	_, err = resource.Create(context.Background(), &Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}, metav1.CreateOptions{})
	fmt.Println(err)
	for _, r := range srv.Requests(apitest.Match{Verb: "create"}) {
		fmt.Println(r)
	}
	// Output:
	// web-0 true <nil>
	// pods "web-0" already exists
	// POST /api/v1/namespaces/default/pods 201
	// POST /api/v1/namespaces/default/pods 409
}

// A fault consists of requests, a time and an action. Here the third request
// gets a 503.
func ExampleServer_Fault() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	fault := srv.Fault(apitest.Fault{
		Match:  apitest.Match{Verb: "get", Resource: "pods"},
		Nth:    3,
		Action: apitest.Fail(503, 0),
	})
	for range 4 {
		_, err := rest.NewView[*Pod](client, pods).Namespace("default").Get(context.Background(), "absent", metav1.GetOptions{})
		fmt.Println(apierrors.ReasonForError(err))
	}
	fmt.Println(fault)
	// Output:
	// NotFound
	// NotFound
	// ServiceUnavailable
	// NotFound
	// get pods, the 3rd time: respond with 503 ServiceUnavailable (fired once)
}

// Objects can be created, changed and waited for in Go. t is the test's; a
// program passes nil.
func ExampleCreate() {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	defer srv.Close()

	pod := apitest.Create(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})
	go apitest.Modify(nil, srv, pod, func(p *Pod) { p.Status.Phase = "Running" }) // as a kubelet would
	pod = apitest.Wait(nil, srv, pod, func(p *Pod) bool { return p.Status.Phase == "Running" })

	fmt.Println(pod.Namespace, pod.Name, pod.Status.Phase)
	// Output: shop web-0 Running
}

// Seed creates many objects, and the namespaces that they name.
func ExampleSeed() {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	defer srv.Close()

	apitest.Seed(nil, srv, 1000, func(i int) *Pod {
		return &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("team-", i%10), Name: fmt.Sprint("web-", i)}}
	})
	fmt.Println(len(apitest.List(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team-7"}})))
	// Output: 100
}

// In a bubble, an hour passes at once. The package comment contains this test.
func TestInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.NewServer(apitest.Options{InMemory: true})
		defer srv.Close()
		client, err := rest.New(srv.Config())
		require.NoError(t, err)
		defer client.Close()

		srv.Fault(apitest.Fault{Action: apitest.Delay(time.Hour)})
		begin := time.Now()
		_, err = rest.NewView[*Pod](client, pods).Namespace("default").Get(t.Context(), "absent", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.Equal(t, time.Hour, time.Since(begin))
	})
}

func TestPackageCommentExample(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	here, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(comment), "//	synctest.Test(")
	require.True(t, found)
	example, _, _ = strings.Cut("//	synctest.Test("+example, "//		...\n")
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
		require.Contains(t, string(here), line)
	}
}
