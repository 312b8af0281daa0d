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

// world is a server, the processes that contend for a Lease in it, and a
// checker that no two of them act at once.
type world struct {
	t   *testing.T
	srv *apitest.Server
	log slog.Handler

	mu        sync.Mutex
	processes []*process // that run
	acts      int        // how often anybody has acted
	lastActor string
	lastAct   time.Time
	complaint string
}

func newWorld(t *testing.T) *world {
	srv := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(srv.Close)
	return &world{t: t, srv: srv, log: slog.NewTextHandler(io.Discard, nil)}
}

// process is a candidate, and what it does as the leader.
type process struct {
	*Elector
	w       *world
	name    string
	network *network
	stop    context.CancelFunc
	ended   chan struct{}
	err     error // of Run, once ended

	mu sync.Mutex
	// resumed is not nil while the process is paused; it is closed then.
	resumed chan struct{}
	dead    bool
	skew    time.Duration // of its wall clock
	// wind is how long it goes on acting when it is told to stop.
	wind time.Duration
	// acting is the context of lead, nil while it is not called; disturbed that
	// the process was paused since, or its clock set, so that it cannot be
	// expected to return in time.
	acting    context.Context
	disturbed bool
}

func (w *world) start(name string, seed uint64, change ...func(*Options)) *process {
	p := &process{w: w, name: name, ended: make(chan struct{})}
	p.network = &network{random: rand.New(rand.NewPCG(seed, 0)), hold: p.hold}
	config := w.srv.Config()
	config.WrapTransport = func(inner http.RoundTripper) http.RoundTripper {
		p.network.inner = inner
		return p.network
	}
	client, err := rest.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	o := Options{Namespace: "default", Name: "operator", Identity: name, Logger: slog.New(w.log)}
	for _, f := range change {
		f(&o)
	}
	p.Elector = New(client, o)
	p.wall = func() time.Time {
		p.mu.Lock()
		defer p.mu.Unlock()
		return time.Now().Add(p.skew)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	w.mu.Lock()
	w.processes = append(w.processes, p)
	w.mu.Unlock()
	go func() {
		defer close(p.ended)
		p.err = p.Run(ctx, p.lead)
		if errors.Is(p.err, ErrStillActing) { // which ends a program
			p.mu.Lock()
			p.dead = true
			p.mu.Unlock()
			p.resume()
		}
		w.remove(p)
		client.Close()
		p.network.belated.Wait()
	}()
	return p
}

func (w *world) remove(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.processes {
		if other == p {
			w.processes = append(w.processes[:i:i], w.processes[i+1:]...)
			return
		}
	}
}

// hold waits while the process is paused.
func (p *process) hold() {
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

// kill ends the process as SIGKILL does: nothing of what it would still say is
// heard.
func (p *process) kill() {
	p.network.suffer(1, swallowed)
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.stop()
	p.resume()
	p.w.remove(p)
	<-p.ended
}

// lead acts ten times a second, and for some time after it was told to stop.
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
		p.hold()
		if p.isDead() || ctx.Err() != nil {
			break
		}
		p.w.notes(p)
		sleep(ctx, time.Now().Add(100*time.Millisecond))
	}
	// What was paused may have been told too late to do anything more.
	for until := time.Now().Add(p.wind); time.Now().Before(until) && !p.isDead() && !p.isDisturbed(); p.hold() {
		p.w.notes(p)
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

// notes is told that a process does something as the leader, and looks who else
// could.
func (w *world) notes(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acts++
	w.lastActor, w.lastAct = p.name, time.Now()
	for _, other := range w.processes {
		if other == p || w.complaint != "" {
			continue
		}
		if why := other.mayActBeside(p); why != "" {
			w.complaint = fmt.Sprintf("at %s %s acts, and %s %s", time.Now().Format("15:04:05.000"), p.name, other.name, why)
		}
	}
}

// mayActBeside is why this process would act as well, "" if it would not.
func (p *process) mayActBeside(actor *process) string {
	p.mu.Lock()
	acting, disturbed := p.acting, p.disturbed
	p.mu.Unlock()
	if acting == nil {
		return ""
	}
	if acting.Err() == nil {
		return "has a context that has not ended"
	}
	actor.mu.Lock()
	disturbed = disturbed || actor.disturbed
	actor.mu.Unlock()
	if !disturbed {
		return "has not returned"
	}
	return ""
}

// check fails if two have acted at once.
func (w *world) check() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.complaint != "" {
		w.t.Fatal(w.complaint)
	}
}

// leader is who acted last, if that was within the last second.
func (w *world) leader() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.lastAct) > time.Second {
		return ""
	}
	return w.lastActor
}

// stopAll stops all processes that run, and waits for them.
func (w *world) stopAll() {
	for {
		w.mu.Lock()
		var p *process
		if len(w.processes) > 0 {
			p = w.processes[0]
		}
		w.mu.Unlock()
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
