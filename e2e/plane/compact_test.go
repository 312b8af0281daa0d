package plane

import (
	"encoding/json"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/rest"
)

// Compact: versions before it are gone. Events are what the API server keeps no
// cache of, which could answer for etcd.
func TestAfterCompactOldVersionsAreGone(t *testing.T) {
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
	// A version is gone once there is a newer one.
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
