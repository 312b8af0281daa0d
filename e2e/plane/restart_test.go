package plane

import (
	"net"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A restarted API server is another process at the same URL, with the same
// credentials, and has what was written before.
func TestARestartedAPIServerHasWhatWasWritten(t *testing.T) {
	p := start(t, Options{})
	config := p.Config(Admin)
	post(t, config, "/api/v1/namespaces", `{"metadata": {"name": "kept"}}`)
	before := p.remains()

	if err := p.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Ended():
	default:
		t.Error("it is killed, and has not ended")
	}
	if _, err := get(t, config, "/readyz"); err == nil {
		t.Error("it is killed, and answers")
	}
	if err := p.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, config, "/api/v1/namespaces/kept"); err != nil {
		t.Errorf("what was written before: %v", err)
	}
	if _, err := get(t, config, "/api/v1/namespaces/never"); !apierrors.IsNotFound(err) {
		t.Errorf("what was never written: %v", err)
	}
	after := p.remains()
	if before.Etcd != after.Etcd || before.APIServer == after.APIServer {
		t.Errorf("etcd was %d and is %d, the API server was %d and is %d", before.Etcd, after.Etcd, before.APIServer, after.APIServer)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	after.vanish(t)
}

// Who restarts need not care for who has the port meanwhile.
func TestARestartWaitsForItsPort(t *testing.T) {
	p := start(t, Options{})
	if err := p.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("tcp", p.URL[len("https://"):])
	if err != nil {
		t.Fatal(err)
	}
	free := time.AfterFunc(time.Second, func() { other.Close() })
	defer free.Stop()
	if err := p.RestartAPIServer(t.Context()); err != nil {
		t.Error(err)
	}
}
