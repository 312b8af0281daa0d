package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/informer/debug"
	"github.com/thinformer/thinformer/rest"
)

// Secret has some fields of a Secret.
type Secret struct {
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string][]byte `json:"data,omitempty"`
}

// The page is served beside others. Here it also shows objects, but no secrets.
func ExampleNew() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	apitest.Create(nil, srv, &Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "database"},
		Data:       map[string][]byte{"password": []byte("hunter2")},
	})

	view := rest.NewView[*Secret](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
		Kind:                 "Secret", Namespaced: true,
	})
	timeline := debug.NewTimeline(debug.TimelineOptions{})
	secrets := informer.New(view, informer.Options[*Secret]{Name: "secrets", Trace: timeline.Trace()})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- secrets.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	if err := secrets.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}

	mux := http.NewServeMux()
	mux.Handle("/debug/informers/", debug.New(debug.Options{
		Informers: func() []informer.AnyInformer { return []informer.AnyInformer{secrets} },
		Objects:   true,
		Timeline:  timeline,
	}))
	server := httptest.NewServer(mux)
	defer server.Close()
	answer, err := http.Get(server.URL + "/debug/informers/?informer=secrets&key=shop/database&format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	var detail struct {
		Stored bool
		Object struct{ Data map[string]string }
		Events []debug.Event
	}
	if err := json.NewDecoder(answer.Body).Decode(&detail); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("stored:", detail.Stored)
	fmt.Println("data:", detail.Object.Data)
	fmt.Println("the first step:", detail.Events[0].Steps[0].Stage)
	// Output:
	// stored: true
	// data: map[password:REDACTED]
	// the first step: stored
}
