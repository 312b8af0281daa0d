package plane

import (
	"net"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A restarted API server is another process at the same URL, with the same credentials and
// the previous objects.
func TestRestartedAPIServerHasThePreviousObjects(t *testing.T) {
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
		t.Error("Ended is not closed after the API server is killed")
	}
	if _, err := get(t, config, "/readyz"); err == nil {
		t.Error("the API server answers after it is killed")
	}
	if err := p.RestartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, config, "/api/v1/namespaces/kept"); err != nil {
		t.Errorf("an object that was written before: %v", err)
	}
	if _, err := get(t, config, "/api/v1/namespaces/never"); !apierrors.IsNotFound(err) {
		t.Errorf("an object that was never written: %v", err)
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

// Another process may have the port in the meantime.
func TestRestartWaitsForItsPort(t *testing.T) {
	p := start(t, Options{})
	if err := p.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	other := occupy(t, p.URL[len("https://"):])
	free := time.AfterFunc(time.Second, func() { other.Close() })
	defer free.Stop()
	if err := p.RestartAPIServer(t.Context()); err != nil {
		t.Error(err)
	}
}

// occupy listens at an address, once no other connection has its port.
func occupy(t *testing.T, address string) net.Listener {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(err)
		}
	}
}
