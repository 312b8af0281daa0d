package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Backup is a custom resource, declared as a plain struct.
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              BackupSpec `json:"spec"`
}

type BackupSpec struct {
	Schedule string `json:"schedule"`
	Keep     int    `json:"keep"`
}

var backups = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "backups"},
	Kind:                 "Backup", Namespaced: true,
}

// twoBackups is a server with two backups. It changes one of them.
func twoBackups() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == "PATCH":
			patch, _ := io.ReadAll(r.Body)
			fmt.Printf("the server gets %s\n", patch)
			io.WriteString(w, `{"kind":"Backup","apiVersion":"example.com/v1","metadata":{"name":"daily","namespace":"prod","resourceVersion":"8"},"spec":{"schedule":"@daily","keep":14}}`)
		case r.URL.Query().Get("watch") == "true":
			io.WriteString(w, `{"type":"MODIFIED","object":{"metadata":{"name":"daily","namespace":"prod","resourceVersion":"8"},"spec":{"schedule":"@daily","keep":14}}}`)
		default:
			io.WriteString(w, `{"kind":"BackupList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"7"},"items":[
				{"metadata":{"name":"daily","namespace":"prod","resourceVersion":"5"},"spec":{"schedule":"@daily","keep":7}},
				{"metadata":{"name":"weekly","namespace":"prod","resourceVersion":"6"},"spec":{"schedule":"@weekly","keep":4}}]}`)
		}
	}))
}

// List the objects and watch for changes from there. The items are decoded one by
// one while the response arrives.
func ExampleView() {
	server := twoBackups()
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ctx := context.Background()

	view := rest.NewView[*Backup](client, backups)
	list, err := view.List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for backup, err := range list.Items() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(backup.Name, backup.Spec.Schedule, backup.Spec.Keep)
	}

	w, err := view.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Stop()
	for {
		event, err := w.Next(ctx)
		if err == io.EOF {
			fmt.Println("the server has ended the watch")
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Type, event.Object.Name, event.Object.Spec.Keep)
	}
	// Output:
	// daily @daily 7
	// weekly @weekly 4
	// MODIFIED daily 14
	// the server has ended the watch
}

// Change one field and leave the fields that other clients may change.
func ExampleResource_MergePatch() {
	server := twoBackups()
	defer server.Close()
	client, err := rest.New(&rest.Config{Host: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	read := &Backup{
		ObjectMeta: metav1.ObjectMeta{Name: "daily", Namespace: "prod", UID: "1f0c"},
		Spec:       BackupSpec{Schedule: "@daily", Keep: 7},
	}
	wanted := *read
	wanted.Spec.Keep = 14
	stored, err := rest.NewResource[*Backup](client, backups).MergePatch(context.Background(), read, &wanted, metav1.PatchOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("stored at version", stored.ResourceVersion)
	// Output:
	// the server gets {"metadata":{"uid":"1f0c"},"spec":{"keep":14}}
	// stored at version 8
}
