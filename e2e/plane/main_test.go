package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childVariable, if set, makes the test program start a control plane, print its remains
// and wait to be killed.
const childVariable = "THINFORMER_E2E_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		becomeChild()
		return
	}
	goleak.VerifyTestMain(m)
}

// remains has the processes and the folder of a control plane.
type remains struct {
	Dir                    string
	Etcd, APIServer, Guard int
}

func (p *Plane) remains() remains {
	return remains{p.dir, p.etcd.cmd.Process.Pid, p.apiserver.cmd.Process.Pid, p.guard.cmd.Process.Pid}
}

func becomeChild() {
	started, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(started.remains()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}
