package plane

import (
	"encoding/json"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/rest"
)

// The API server has no watch cache of events that could answer instead of etcd.
func TestCompactDiscardsOldVersions(t *testing.T) {
	p := start(t, Options{})
	const path = "/api/v1/namespaces/default/events"
	text, err := get(t, p.Config(Admin), path)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	exact := path + "?resourceVersionMatch=Exact&resourceVersion=" + list.Metadata.ResourceVersion
	if _, err := get(t, p.Config(Admin), exact); err != nil {
		t.Fatal(err)
	}
	// Compact discards a version only if there is a newer one.
	post(t, p.Config(Admin), "/api/v1/namespaces", `{"metadata": {"name": "newer"}}`)
	if err := p.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, p.Config(Admin), exact); !apierrors.IsResourceExpired(err) {
		t.Errorf("after Compact version %s is answered with %v", list.Metadata.ResourceVersion, err)
	}
}

func post(t *testing.T, config *rest.Config, path, body string) {
	t.Helper()
	client, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Post().RequestURI(path).SetHeader("Content-Type", "application/json").Body([]byte(body)).DoRaw(t.Context()); err != nil {
		t.Fatal(err)
	}
}
