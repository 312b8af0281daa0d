package leader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// testCluster is a server with processes that contend for a Lease. It checks that no two
// processes act at once.
type testCluster struct {
	t   *testing.T
	srv *apitest.Server
	log slog.Handler

	mu        sync.Mutex
	processes []*process // running processes
	actions   int        // number of actions
	lastActor string
	lastAct   time.Time
	violation string
}

func newTestCluster(t *testing.T) *testCluster {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	return &testCluster{t: t, srv: srv, log: slog.NewTextHandler(io.Discard, nil)}
}

// process is a candidate that acts while it leads.
type process struct {
	*Elector
	w       *testCluster
	name    string
	network *network
	stop    context.CancelFunc
	ended   chan struct{}
	err     error // of Run, once ended

	mu sync.Mutex
	// resumed is not nil while the process is paused. It is closed by resume.
	resumed chan struct{}
	dead    bool
	skew    time.Duration // offset of its wall clock
	// stopDelay is how long the process continues to act after the context has ended.
	stopDelay time.Duration
	// acting is the context of lead, nil while lead does not run. disturbed is set if
	// the process was paused since then, so that it may not return in time.
	acting    context.Context
	disturbed bool
}

func (c *testCluster) start(name string, seed uint64, change ...func(*Options)) *process {
	p := &process{w: c, name: name, ended: make(chan struct{})}
	p.network = &network{random: rand.New(rand.NewPCG(seed, 0)), waitWhilePaused: p.waitWhilePaused}
	config := c.srv.Config()
	config.WrapTransport = func(inner http.RoundTripper) http.RoundTripper {
		p.network.inner = inner
		return p.network
	}
	client, err := rest.New(config)
	if err != nil {
		c.t.Fatal(err)
	}
	o := Options{Namespace: "default", Name: "operator", Identity: name, Logger: slog.New(c.log)}
	for _, f := range change {
		f(&o)
	}
	p.Elector = New(client, o)
	p.wallClock = func() time.Time {
		p.mu.Lock()
		defer p.mu.Unlock()
		return time.Now().Add(p.skew)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	c.mu.Lock()
	c.processes = append(c.processes, p)
	c.mu.Unlock()
	go func() {
		defer close(p.ended)
		p.err = p.Run(ctx, p.lead)
		if errors.Is(p.err, ErrStillRunning) { // a program exits after this error
			p.mu.Lock()
			p.dead = true
			p.mu.Unlock()
			p.resume()
		}
		c.remove(p)
		client.Close()
		p.network.late.Wait()
	}()
	return p
}

func (c *testCluster) remove(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range c.processes {
		if other == p {
			c.processes = append(c.processes[:i:i], c.processes[i+1:]...)
			return
		}
	}
}

// waitWhilePaused returns when the process is not paused.
func (p *process) waitWhilePaused() {
	for {
		p.mu.Lock()
		resumed := p.resumed
		p.mu.Unlock()
		if resumed == nil {
			return
		}
		<-resumed
	}
}

func (p *process) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resumed == nil && !p.dead {
		p.resumed = make(chan struct{})
	}
	p.disturbed = true
}

func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resumed != nil {
		close(p.resumed)
		p.resumed = nil
	}
}

func (p *process) setClock(skew time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skew = skew
}

// kill ends the process like SIGKILL: no later request reaches the server.
func (p *process) kill() {
	p.network.setFaults(1, requestLost)
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.stop()
	p.resume()
	p.w.remove(p)
	<-p.ended
}

// lead acts ten times a second, until stopDelay after the end of the context.
func (p *process) lead(ctx context.Context) error {
	p.mu.Lock()
	p.acting, p.disturbed = ctx, p.resumed != nil
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.acting = nil
		p.mu.Unlock()
	}()
	for {
		p.waitWhilePaused()
		if p.isDead() || ctx.Err() != nil {
			break
		}
		p.w.recordAction(p)
		sleep(ctx, time.Now().Add(100*time.Millisecond))
	}
	// A process that was paused may have no time left.
	for until := time.Now().Add(p.stopDelay); time.Now().Before(until) && !p.isDead() && !p.isDisturbed(); p.waitWhilePaused() {
		p.w.recordAction(p)
		sleep(context.Background(), time.Now().Add(100*time.Millisecond))
	}
	return ctx.Err()
}

func (p *process) isDisturbed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.disturbed
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// recordAction records an action of a leader and checks that no other process could act.
func (c *testCluster) recordAction(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.actions++
	c.lastActor, c.lastAct = p.name, time.Now()
	for _, other := range c.processes {
		if other == p || c.violation != "" {
			continue
		}
		if conflict := other.mayActBeside(p); conflict != "" {
			c.violation = fmt.Sprintf("at %s %s acts, while %s %s", time.Now().Format("15:04:05.000"), p.name, other.name, conflict)
		}
	}
}

// mayActBeside returns why this process may act at the same time, "" if it may not.
func (p *process) mayActBeside(actor *process) string {
	p.mu.Lock()
	acting, disturbed := p.acting, p.disturbed
	p.mu.Unlock()
	if acting == nil {
		return ""
	}
	if acting.Err() == nil {
		return "has an active context"
	}
	actor.mu.Lock()
	disturbed = disturbed || actor.disturbed
	actor.mu.Unlock()
	if !disturbed {
		return "has not returned from lead"
	}
	return ""
}

// check fails if two processes have acted at once.
func (c *testCluster) check() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.violation != "" {
		c.t.Fatal(c.violation)
	}
}

// leader returns the process that has acted in the last second, "" if there is none.
func (c *testCluster) leader() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.lastAct) > time.Second {
		return ""
	}
	return c.lastActor
}

// stopAll stops all running processes and waits for them.
func (c *testCluster) stopAll() {
	for {
		c.mu.Lock()
		var p *process
		if len(c.processes) > 0 {
			p = c.processes[0]
		}
		c.mu.Unlock()
		if p == nil {
			return
		}
		p.resume()
		p.stop()
		<-p.ended
	}
}

type leaseObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		HolderIdentity       *string           `json:"holderIdentity,omitempty"`
		LeaseDurationSeconds *int32            `json:"leaseDurationSeconds,omitempty"`
		AcquireTime          *metav1.MicroTime `json:"acquireTime,omitempty"`
		RenewTime            *metav1.MicroTime `json:"renewTime,omitempty"`
		LeaseTransitions     *int32            `json:"leaseTransitions,omitempty"`
		Strategy             string            `json:"strategy,omitempty"`
		PreferredHolder      string            `json:"preferredHolder,omitempty"`
	} `json:"spec"`
}

var leaseType = metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
