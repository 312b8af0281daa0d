package controller_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

var (
	readsSeed  = flag.Uint64("reads.seed", 0, "run the model test and the simulation of reads with this seed only")
	readsSeeds = flag.Uint64("reads.seeds", 0, "number of seeds of the model test of reads, and of its simulation; 0 means a few")
	readsFrom  = flag.Uint64("reads.from", 1, "the first seed of these tests")
)

// eachReadsSeed runs test in a bubble for each seed.
func eachReadsSeed(t *testing.T, seeds uint64, test func(t *testing.T, seed uint64)) {
	if controller.RaceEnabled {
		seeds = max(1, seeds/5)
	}
	if *readsSeeds != 0 {
		seeds = *readsSeeds
	}
	from := *readsFrom
	if *readsSeed != 0 {
		from, seeds = *readsSeed, 1
	}
	for seed := from; seed < from+seeds && !t.Failed(); seed++ {
		synctest.Test(t, func(t *testing.T) { test(t, seed) })
		if t.Failed() {
			t.Logf("run again: go test ./controller -run %s -reads.seed=%d", t.Name(), seed)
		}
	}
}

// With random changes by other clients, and random reconciles that read, write, fail,
// panic and take time, a key is reconciled after each change of what it has read, and
// not without a cause. Tracked reads have the writes of their reconcile.
func TestReadsModel(t *testing.T) {
	eachReadsSeed(t, 100, func(t *testing.T, seed uint64) {
		m := newReadsModel(t, seed, readsOptions{})
		for range 25 {
			m.step()
			m.checkAtRest()
		}
		m.stop()
	})
}

// item is an object of the model.
type item struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              itemSpec `json:"spec"`
}

type itemSpec struct {
	Value  string `json:"value,omitempty"`
	Color  string `json:"color,omitempty"`
	Target string `json:"target,omitempty"`
}

// state returns the state for the history.
func (o *item) state() itemState {
	s := itemState{uid: string(o.UID), version: o.ResourceVersion, value: o.Spec.Value, colors: o.Spec.Color, request: o.Spec.Target}
	if ref := metav1.GetControllerOf(o); ref != nil {
		s.request = o.Namespace + "/" + ref.Name
	}
	return s
}

func keyOfItem(o *item) string {
	return controller.Request{Namespace: o.Namespace, Name: o.Name}.String()
}

// colorsOf is the index function. It panics for the color panic.
func colorsOf(o *item) []string {
	if strings.Contains(o.Spec.Color, "panic") {
		panic("the index function panics")
	}
	if o.Spec.Color == "" {
		return nil
	}
	return strings.Split(o.Spec.Color, ",")
}

var (
	itemColors = []string{"", "red", "blue", "red,blue", "panic"}
	// Bodies of files are read; the other kinds have informers.
	itemKinds = []string{"parents", "children", "configs", "sites", "files"}
	// itemSpaces are the namespaces.
	itemSpaces = []string{"x", "y"}
)

func itemResource(kind string) rest.ResourceInfo {
	return rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: kind},
		Kind:                 strings.ToUpper(kind[:1]) + kind[1:], Namespaced: kind != "sites",
	}
}

// modelKind is a kind with its informer or its bodies.
type modelKind struct {
	name     string
	resource *rest.Resource[*item]
	// inf and color are nil for bodies, bodies is nil for the other kinds.
	inf    *informer.SharedInformer[*item]
	color  *indexer.Index[*item]
	bodies *informer.Bodies[*item]
	// changing: inf has a set of namespaces that changes.
	changing bool
}

// covers reports whether the store has the objects of the namespace of a key.
func (k *modelKind) covers(key string) bool {
	return k.bodies != nil || k.inf.Covers(namespaceOf(key))
}

// namespaceOf returns the namespace of the key of an object, "" if it has none.
func namespaceOf(key string) string {
	namespace, _, found := strings.Cut(key, "/")
	if !found {
		return ""
	}
	return namespace
}

// readable returns what Get reads.
func (k *modelKind) readable() controller.Readable[*item] {
	if k.bodies != nil {
		return k.bodies
	}
	return k.inf
}

// revision returns the revision of the store.
func (k *modelKind) revision() uint64 {
	_, _, revision, _ := k.readable().Read(context.Background(), "none/none")
	return revision
}

// versions returns the stored objects by key, without their content.
func (k *modelKind) versions() map[string]itemState {
	all := map[string]itemState{}
	for key := range k.readable().Keys() {
		if obj, ok := k.readable().Object(key); ok {
			o := obj.(rest.Object)
			all[key] = itemState{uid: string(o.GetUID()), version: o.GetResourceVersion()}
		}
	}
	return all
}

// readsModel is a controller with random registrations, and a server with four kinds.
type readsModel struct {
	*testing.T
	seed    uint64
	options readsOptions
	rng     *rand.Rand // of the test's goroutine
	server  *apitest.Server
	client  *rest.Client
	kinds   map[string]*modelKind
	c       *controller.Controller
	sends   chan controller.Request
	end     context.CancelFunc
	ended   chan error
	stopAll []func()
	// single: each step is one change, and the controller is at rest before it.
	single bool
	// slow: handlers are late and merge notifications, which merged counts.
	slow   bool
	merged atomic.Int64

	mu      sync.Mutex
	counter int
	history readsHistory
	// calls counts the reconciles of each key.
	calls map[string]int
	// budget is how many writes of reconciles are left in this step.
	budget int
	failed bool
}

func newReadsModel(t *testing.T, seed uint64, o readsOptions) *readsModel {
	m := &readsModel{
		T: t, seed: seed, options: o, rng: rand.New(rand.NewPCG(seed, 1)), kinds: map[string]*modelKind{},
		calls: map[string]int{}, sends: make(chan controller.Request),
	}
	m.single = !o.faults && m.rng.IntN(2) == 0
	m.slow = o.faults && seed%2 == 0
	m.history.merging = m.slow
	var resources []apitest.Resource
	for _, kind := range itemKinds {
		resources = append(resources, apitest.Resource{ResourceInfo: itemResource(kind)})
	}
	m.server = apitest.NewServer(apitest.Options{InMemory: true, Seed: seed, Resources: resources})
	t.Cleanup(m.server.Close)
	client, err := rest.New(m.server.Config())
	if err != nil {
		t.Fatal(err)
	}
	m.client = client
	t.Cleanup(client.Close)
	for _, kind := range itemKinds {
		m.addKind(kind)
	}
	for _, space := range itemSpaces {
		apitest.Create(t, m.server, &item{
			TypeMeta:   metav1.TypeMeta{APIVersion: "test.example.com/v1", Kind: "Configs"},
			ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "c0"},
		})
	}
	m.c = controller.New("model", controller.Func(m.reconcile), controller.Options{
		MaxConcurrentReconciles: 1 + m.rng.IntN(3),
		MaxPanics:               1 + m.rng.IntN(3),
		Backoff:                 controller.Backoff{Base: 10 * time.Millisecond, Max: time.Second},
		Logger:                  quiet,
		WriteTimeout:            5 * time.Minute,
		Trace: &controller.Trace{
			Queued: func(info controller.TraceInfo, reason controller.Reason) {
				m.note("queued: "+reason.String(), info.Request)
			},
			Stale: func(info controller.TraceInfo, _ *controller.StaleError) {
				m.note("late for its writes", info.Request)
				m.mu.Lock()
				defer m.mu.Unlock()
				m.history.stale = append(m.history.stale, keyAt{m.counter, info.Request.String()})
			},
		},
	})
	if m.slow {
		controller.SetMaxPending(m.c, 1)
	}
	m.register()
	m.run()
	return m
}

// slowHandlers returns a trace that delays callbacks of handlers, so that notifications
// are merged.
func (m *readsModel) slowHandlers() *informer.Trace {
	return &informer.Trace{
		Called: func(informer.TraceInfo) {
			if rand.IntN(3) == 0 {
				time.Sleep(rand.N(2 * time.Second))
			}
		},
		Merged: func(informer.TraceInfo) { m.merged.Add(1) },
	}
}

// addKind adds a kind with a running informer.
func (m *readsModel) addKind(name string) {
	k := &modelKind{name: name, resource: rest.NewResource[*item](m.client, itemResource(name))}
	m.kinds[name] = k
	observer := observe.Observer(func(e *observe.Event) { m.observe(name, e) })
	if name == "files" {
		m.addBodies(k, observer)
		return
	}
	options := informer.Options[*item]{Logger: quiet}
	if m.slow {
		options.Trace = m.slowHandlers()
	}
	if k.changing = (name == "children" || name == "configs") && m.rng.IntN(3) == 0; k.changing {
		k.inf = informer.ForNamespaces(nil, k.resource, options, itemSpaces...)
	} else {
		k.inf = informer.New(k.resource, options)
	}
	k.color, _ = k.inf.AddIndex("color", colorsOf)
	// The observer of the model is the first, so that its numbers are before those of
	// reconciles that the change causes.
	k.inf.Observe(observer)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := k.inf.Run(ctx)
		if ctx.Err() == nil {
			m.failf("the informer of %s has ended: %v", name, err)
		}
		ended <- err
	}()
	m.stopAll = append(m.stopAll, func() {
		cancel()
		if err := <-ended; err != nil {
			m.Error(err)
		}
	})
}

// addBodies adds a kind whose bodies are read.
func (m *readsModel) addBodies(k *modelKind, observer observe.Observer) {
	factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
	k.bodies = informer.ForBodies(factory, rest.NewView[*item](m.client, itemResource(k.name)), informer.BodyOptions[*item]{MaxBodies: 2})
	k.bodies.Observed().(interface {
		Observe(observe.Observer) (remove func())
	}).Observe(observer)
	if err := factory.Start(context.Background()); err != nil {
		m.Fatal(err)
	}
	m.stopAll = append(m.stopAll, func() {
		if err := factory.Shutdown(); err != nil {
			m.Error(err)
		}
	})
}

// observe records a change.
func (m *readsModel) observe(kind string, e *observe.Event) {
	event := changeEvent{at: time.Now(), kind: kind, key: e.Key, listed: e.Listed, epoch: e.Epoch, revision: e.Revision}
	state := func(obj any) *itemState {
		s := itemState{uid: string(obj.(rest.Object).GetUID()), version: obj.(rest.Object).GetResourceVersion()}
		if o, ok := obj.(*item); ok {
			s = o.state()
		}
		return &s
	}
	if e.Old != nil {
		event.old = state(e.Old)
	}
	if !e.Deleted {
		event.new = state(e.New)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	event.number = m.next()
	m.history.events = append(m.history.events, event)
}

// note adds a line for the analysis of failures.
func (m *readsModel) note(text string, req controller.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history.notes = append(m.history.notes, keyAt{m.next(), req.String() + ": " + text})
}

// next returns the next number of the history. mu is held.
func (m *readsModel) next() int {
	m.counter++
	return m.counter
}

// register registers the informers in a random way.
func (m *readsModel) register() {
	chance := func(percent int) bool { return m.rng.IntN(100) < percent }
	add := func(kind, role string) (*modelKind, *registration, []controller.Predicate[*item]) {
		m.history.registrations = append(m.history.registrations, registration{kind: kind, role: role, narrow: chance(30)})
		r := &m.history.registrations[len(m.history.registrations)-1]
		if r.narrow {
			return m.kinds[kind], r, []controller.Predicate[*item]{controller.Changed(func(o *item) string { return o.Spec.Value })}
		}
		return m.kinds[kind], r, nil
	}
	reads := func(kind string) {
		k, _, p := add(kind, "reads")
		controller.Reads(m.c, k.readable(), p...)
	}
	options := func(w *controller.Watch[*item], r *registration) {
		if chance(50) {
			r.notOwn = true
			controller.NotOwnWrites(w)
		}
		if chance(15) {
			r.ignoresDeletes = true
			w.FilterDeletes(func(*item) bool { return false })
		}
	}
	hasFor := chance(75)
	if hasFor {
		k, r, p := add("parents", "for")
		options(controller.For(m.c, k.inf, p...), r)
	}
	if !hasFor || chance(25) {
		reads("parents")
	}
	if hasFor && chance(60) {
		k, r, p := add("children", "owns")
		options(controller.Owns(m.c, k.inf, p...), r)
	} else {
		reads("children")
	}
	if !hasFor || chance(50) {
		k, _, p := add("sites", "watches")
		controller.Watches(m.c, k.inf, func(o *item) []controller.Request {
			if o.Spec.Target == "" {
				return nil
			}
			return []controller.Request{requestOf(o.Spec.Target)}
		}, p...)
	} else {
		reads("sites")
	}
	reads("configs")
	if chance(15) {
		reads("configs")
	}
	m.history.registrations = append(m.history.registrations, registration{kind: "files", role: "reads"})
	controller.Reads(m.c, m.kinds["files"].readable())
	controller.Channel(m.c, m.sends)
}

func requestOf(key string) controller.Request {
	namespace, name, _ := strings.Cut(key, "/")
	return controller.Request{Namespace: namespace, Name: name}
}

// run starts the controller.
func (m *readsModel) run() {
	m.mu.Lock()
	m.history.runs = append(m.history.runs, runRecord{number: m.next()})
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	m.end, m.ended = cancel, make(chan error, 1)
	go func(ended chan<- error) { ended <- m.c.Run(ctx) }(m.ended)
}

// endRun stops the controller.
func (m *readsModel) endRun() {
	m.end()
	if err := <-m.ended; err != nil {
		m.failf("Run: %v", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history.runs[len(m.history.runs)-1].ended = m.next()
}

// stop ends everything.
func (m *readsModel) stop() {
	m.endRun()
	for _, stop := range m.stopAll {
		stop()
	}
}

// failf fails with the history, once.
func (m *readsModel) failf(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed {
		return
	}
	m.failed = true
	m.Errorf("%s\n\nseed %d, registrations %+v\n%s", fmt.Sprintf(format, args...), m.seed, m.history.registrations, &m.history)
}

// randomKey returns the key of an object that may exist.
func randomKey(rng *rand.Rand, kind string) string {
	name := fmt.Sprint(kind[:1], rng.IntN(3))
	if kind == "sites" {
		return name
	}
	return itemSpaces[rng.IntN(len(itemSpaces))] + "/" + name
}

// step makes changes by another client.
func (m *readsModel) step() {
	m.mu.Lock()
	m.budget = 4
	m.mu.Unlock()
	changes := 1
	if !m.single {
		changes = 1 + m.rng.IntN(6)
	}
	for range changes {
		switch roll := m.rng.IntN(24); {
		case roll == 0:
			m.endRun()
			for range m.rng.IntN(3) {
				m.change()
			}
			m.run()
		case roll < 3:
			key := randomKey(m.rng, "parents")
			m.mu.Lock()
			m.history.sends = append(m.history.sends, keyAt{m.next(), key})
			m.mu.Unlock()
			m.sends <- requestOf(key)
		case roll == 3:
			m.changeNamespaces()
		default:
			m.change()
		}
		if !m.single && m.rng.IntN(2) == 0 {
			time.Sleep(time.Duration(m.rng.IntN(60)) * time.Millisecond)
		}
	}
}

// changeNamespaces changes the namespaces of the informers that can change them.
func (m *readsModel) changeNamespaces() {
	for _, kind := range itemKinds {
		k := m.kinds[kind]
		if !k.changing {
			continue
		}
		m.mu.Lock()
		m.history.restored = true
		m.mu.Unlock()
		if err := k.inf.SetNamespaces(itemSpaces[m.rng.IntN(2) : 1+m.rng.IntN(2)]...); err != nil {
			m.Error(err)
		}
	}
}

// change creates, updates or deletes an object as another client.
func (m *readsModel) change() {
	kind := itemKinds[m.rng.IntN(len(itemKinds))]
	m.changeObject(kind, randomKey(m.rng, kind))
}

func (m *readsModel) changeObject(kind, key string) {
	_, _ = m.write(context.Background(), "another client", m.rng, kind, key, []string{"create", "create", "value", "value", "color", "touch", "delete"}[m.rng.IntN(7)])
}

// burst changes one object several times, without a pause.
func (m *readsModel) burst() {
	kind := itemKinds[m.rng.IntN(len(itemKinds))]
	key := randomKey(m.rng, kind)
	for range 8 {
		m.changeObject(kind, key)
	}
}

// write makes a request and returns what it has written. The record is empty if nothing
// was written.
func (m *readsModel) write(ctx context.Context, writer string, rng *rand.Rand, kind, key, what string) (writeRecord, error) {
	k, req := m.kinds[kind], requestOf(key)
	if kind == "sites" {
		req = controller.Request{Name: key}
	}
	resource := k.resource.Namespace(req.Namespace)
	m.mu.Lock()
	unique := m.next()
	m.mu.Unlock()
	color := itemColors[rng.IntN(len(itemColors))]
	w := writeRecord{kind: kind, key: key, verb: "patch", excluded: !k.covers(key)}
	var obj *item
	var err error
	patch := func(format string, args ...any) {
		obj, err = resource.Patch(ctx, req.Name, types.MergePatchType, fmt.Appendf(nil, format, args...), metav1.PatchOptions{})
	}
	switch what {
	case "create":
		w.verb = "create"
		o := &item{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}, Spec: itemSpec{Value: fmt.Sprint(unique), Color: color}}
		switch kind {
		case "sites":
			o.Spec.Target = randomKey(rng, "parents")
		case "children":
			yes := true
			owner := itemResource("parents")
			o.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: owner.GroupVersion().String(), Kind: owner.Kind, Name: fmt.Sprint("p", rng.IntN(3)), UID: "any", Controller: &yes,
			}}
		}
		obj, err = resource.Create(ctx, o, metav1.CreateOptions{})
	case "value":
		patch(`{"spec":{"value":"%d"}}`, unique)
	case "color":
		patch(`{"spec":{"color":%q}}`, color)
	case "touch":
		patch(`{"metadata":{"labels":{"touched":"%d"}}}`, unique)
	case "nothing":
		patch(`{}`)
	case "dry run":
		_, _ = resource.Patch(ctx, req.Name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"value":"%d"}}`, unique), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return writeRecord{}, nil
	case "delete":
		stored, ok := k.versions()[key]
		if !ok {
			return writeRecord{}, nil
		}
		uid := types.UID(stored.uid)
		err = resource.Delete(ctx, req.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		w.deleted, w.uid = true, string(uid)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		return writeRecord{}, err
	}
	w.number = m.next()
	if obj != nil {
		w.uid, w.version, w.state = string(obj.UID), obj.ResourceVersion, obj.state()
		m.history.wrote(writer, kind, key, w.version)
	}
	return w, nil
}

// checkAtRest waits until the controller is at rest and checks the history.
func (m *readsModel) checkAtRest() {
	if m.Failed() {
		return
	}
	server, rested := m.rest()
	if !rested {
		var late []string
		for name, k := range m.kinds {
			late = append(late, fmt.Sprintf("%s: the informer has %+v: %+v; the server has %+v", name, k.readable().State().Source, k.versions(), m.content(name)))
		}
		m.failf("the controller is not at rest after ten minutes: %+v\n%s", m.c.State(), strings.Join(late, "\n"))
		return
	}
	m.mu.Lock()
	run := &m.history.runs[len(m.history.runs)-1]
	err := m.history.check(m.next(), server)
	if run.synced == 0 {
		run.synced = m.next()
	}
	m.mu.Unlock()
	if err != nil {
		m.failf("%v", err)
	}
}

// rest waits until nothing is queued or in work and the informers have the objects of
// the server, which it returns.
func (m *readsModel) rest() (server map[string]map[string]itemState, rested bool) {
	for n := range 800 {
		synctest.Wait()
		s := m.c.State()
		idle := s.Synced && s.Queued == 0 && len(s.Working) == 0 && s.Held == 0 && s.RetryingCount == 0 && s.Queue.DelayedCount == 0
		if idle {
			server = map[string]map[string]itemState{}
			for _, kind := range itemKinds {
				server[kind] = m.content(kind)
				maps.DeleteFunc(server[kind], func(key string, _ itemState) bool { return !m.kinds[kind].covers(key) })
				stored := m.kinds[kind].versions()
				idle = idle && len(server[kind]) == len(stored) && !m.kinds[kind].hasPending()
				for key, s := range server[kind] {
					idle = idle && stored[key] == itemState{uid: s.uid, version: s.version}
				}
			}
			if idle {
				return server, true
			}
		}
		if n < 200 {
			time.Sleep(60 * time.Millisecond)
		} else {
			time.Sleep(time.Second)
		}
	}
	return nil, false
}

// hasPending reports whether a handler has notifications to receive, or is in a callback.
func (k *modelKind) hasPending() bool {
	return k.inf != nil && slices.ContainsFunc(k.inf.State().Handlers, func(h informer.HandlerState) bool {
		return h.Pending > 0 || !h.Since.IsZero()
	})
}

// content returns the objects of the server.
func (m *readsModel) content(kind string) map[string]itemState {
	all := map[string]itemState{}
	info := itemResource(kind)
	for _, o := range apitest.List(m.T, m.server, &item{TypeMeta: metav1.TypeMeta{APIVersion: info.GroupVersion().String(), Kind: info.Kind}}) {
		all[keyOfItem(o)] = o.state()
	}
	return all
}

// attempt is a reconcile in progress.
type attempt struct {
	*readsModel
	ctx context.Context
	rng *rand.Rand
	rec *reconcileRecord
}

// reconcile does something random, which the seed, the key and the number of calls
// determine.
func (m *readsModel) reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	key := req.String()
	hash := fnv.New64()
	_, _ = hash.Write([]byte(key))
	m.mu.Lock()
	m.calls[key]++
	a := attempt{m, ctx, rand.New(rand.NewPCG(m.seed, hash.Sum64()+uint64(m.calls[key]))), &reconcileRecord{
		key: key, number: m.next(), run: len(m.history.runs) - 1, firstEpoch: m.epochs(), outcome: "panic",
	}}
	m.history.reconciles = append(m.history.reconciles, a.rec)
	m.mu.Unlock()
	defer a.end(req)
	if a.options.faults && a.rng.IntN(3) == 0 {
		time.Sleep(a.pause(a.rng))
	}
	for range a.rng.IntN(6) {
		if err := a.act(); err != nil {
			a.rec.outcome = "error"
			return controller.Result{}, err
		}
	}
	return a.outcome()
}

func (m *readsModel) epochs() map[string]int {
	epochs := map[string]int{}
	for name, k := range m.kinds {
		for _, space := range append([]string{""}, itemSpaces...) {
			if k.inf != nil {
				_, epochs[name+" "+space] = k.inf.VersionIn(space)
			}
		}
	}
	return epochs
}

// end records the end of the reconcile.
func (a *attempt) end(req controller.Request) {
	_, exists := a.kinds["parents"].inf.Get(req.String())
	epochs := a.epochs()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.returned, a.rec.returnedAt, a.rec.forExists, a.rec.lastEpoch = a.next(), time.Now(), exists, epochs
}

// outcome returns a random outcome.
func (a *attempt) outcome() (controller.Result, error) {
	switch roll := a.rng.IntN(24); {
	case roll < 2:
		a.rec.outcome = "error"
		return controller.Result{}, errors.New("failed")
	case roll < 4:
		a.rec.outcome = "terminal"
		return controller.Result{}, controller.TerminalError(errors.New("invalid spec"))
	case roll == 4:
		panic("broken")
	case roll == 5:
		a.rec.outcome = "goexit"
		runtime.Goexit()
	case roll == 6:
		a.rec.outcome = "delayed"
		return controller.Result{RequeueAfter: 50 * time.Millisecond}, nil
	}
	a.rec.outcome = "success"
	return controller.Result{}, nil
}

// act sleeps, reads or writes.
func (a *attempt) act() (err error) {
	switch roll := a.rng.IntN(16); {
	case roll == 0 && !a.single:
		time.Sleep(a.pause(a.rng))
	case roll < 4:
		return a.change()
	case roll == 4: // from a goroutine
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = a.read()
		}()
		<-done
	default:
		return a.read()
	}
	return err
}

// change writes something, unless there were enough writes in this step. In most cases
// it reads the object before.
func (a *attempt) change() error {
	kind := itemKinds[a.rng.IntN(len(itemKinds))]
	key := randomKey(a.rng, kind)
	if kind == "parents" && a.rng.IntN(2) == 0 {
		key = a.rec.key
	}
	what := []string{"create", "value", "value", "value", "color", "touch", "nothing", "dry run", "delete"}[a.rng.IntN(9)]
	if a.rng.IntN(3) > 0 {
		if err := a.get(kind, key); err != nil {
			return err
		}
	}
	a.mu.Lock()
	a.budget--
	enough := a.budget < 0
	a.mu.Unlock()
	if enough {
		return nil
	}
	w, err := a.write(a.ctx, fmt.Sprint("reconcile ", a.rec.number), a.rng, kind, key, what)
	if err != nil || w.kind == "" {
		return nil // such as not found, or already exists
	}
	if what == "nothing" || what == "color" { // may have changed nothing
		a.mu.Lock()
		a.history.wrote("nothing", kind, key, w.version)
		a.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.writes = append(a.rec.writes, w)
	return nil
}

// read makes a random read.
func (a *attempt) read() error {
	kind := itemKinds[a.rng.IntN(len(itemKinds))]
	k := a.kinds[kind]
	switch roll := a.rng.IntN(10); {
	case roll < 5 || kind == "files":
		key := randomKey(a.rng, kind)
		if kind == "parents" && a.rng.IntN(2) == 0 {
			key = a.rec.key
		}
		return a.get(kind, key)
	case roll < 7:
		color := []string{"red", "blue"}[a.rng.IntN(2)]
		return a.record(dependency{kind, "value", color}, func(see func(*item)) error {
			found, err := controller.Find(a.ctx, k.color, color)
			if err == nil {
				for o := range found {
					see(o)
				}
			}
			return err
		})
	case roll == 7 && kind != "sites":
		space := itemSpaces[a.rng.IntN(len(itemSpaces))]
		return a.record(dependency{kind, "namespace", space}, func(see func(*item)) error {
			lister, err := controller.Lister(a.ctx, k.inf)
			if err == nil {
				for o := range lister.Namespace(space).List(nil) {
					see(o)
				}
			}
			return err
		})
	case roll == 8:
		return a.record(dependency{kind, "all", ""}, func(see func(*item)) error {
			lister, err := controller.Lister(a.ctx, k.inf)
			if err == nil {
				for o := range lister.List(nil) {
					see(o)
				}
			}
			return err
		})
	default:
		return a.record(dependency{kind, "all", ""}, func(see func(*item)) error {
			all, err := controller.All(a.ctx, k.inf)
			if err == nil {
				for o := range all {
					see(o)
				}
			}
			return err
		})
	}
}

// get reads one object.
func (a *attempt) get(kind, key string) error {
	k := a.kinds[kind]
	return a.record(dependency{kind, "key", key}, func(see func(*item)) error {
		o, ok, err := controller.Get(a.ctx, k.readable(), key)
		if ok {
			see(o)
		}
		return err
	})
}

// record records a read.
func (a *attempt) record(d dependency, read func(see func(*item)) error) error {
	k := a.kinds[d.kind]
	r := readRecord{dependency: d, seen: map[string]itemState{}, before: k.revision()}
	a.mu.Lock()
	r.number = a.next()
	a.mu.Unlock()
	err := read(func(o *item) { r.seen[keyOfItem(o)] = o.state() })
	r.after, r.failed = k.revision(), err != nil
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rec.reads = append(a.rec.reads, r)
	if err != nil {
		return fmt.Errorf("reading %s: %w", d, err)
	}
	return nil
}
