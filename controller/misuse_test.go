package controller_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

// A mistake in a For during Run ends the run with the error, because its keys would not
// be enqueued. The error remains for the next Run.
func TestMistakeDuringRunEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		require.NoError(t, s.factory.Start(t.Context()))
		for _, mistake := range []struct {
			make func(*controller.Controller, *controller.Watch[*configMap])
			want error
			text string
		}{
			{func(c *controller.Controller, _ *controller.Watch[*configMap]) { controller.For[*configMap](c, nil) }, controller.ErrNoInformer, "nil"},
			{func(_ *controller.Controller, w *controller.Watch[*configMap]) { w.FilterCreates(nil) }, controller.ErrOptions, "FilterCreates was called with nil"},
			{func(c *controller.Controller, _ *controller.Watch[*configMap]) { controller.Channel(c, nil) }, controller.ErrOptions, "nil channel"},
			{func(c *controller.Controller, w *controller.Watch[*configMap]) {
				w.Remove()
				controller.Owns(c, maps)
			}, controller.ErrNoOwner, ""},
			{func(c *controller.Controller, _ *controller.Watch[*configMap]) {
				controller.Owns(c, maps)
				controller.For(c, informer.For(s.factory, rest.NewView[*coloured](s.client, colours), informer.Options[*coloured]{}))
			}, controller.ErrAmbiguousOwner, "ConfigMap and Coloured.example.com"},
		} {
			c := controller.New("maps", controller.Func(doNothing), controller.Options{})
			watch := controller.For(c, maps)
			ended := make(chan error, 1)
			go func() { ended <- c.Run(t.Context()) }()
			time.Sleep(time.Second)
			mistake.make(c, watch)
			synctest.Wait()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, mistake.want)
				require.ErrorContains(t, err, mistake.text)
			default:
				require.Fail(t, "the run continues", "%v", mistake.want)
			}
			require.ErrorIs(t, c.Run(t.Context()), mistake.want)
		}
		require.NoError(t, s.factory.Shutdown())
	})
}

// A negative RequeueAfter is an error of the reconcile, and the key is retried.
func TestNegativeRequeueAfterIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		s.create("a")
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		runs := 0
		var failed error
		c := controller.New("maps", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			if runs++; runs == 1 {
				return controller.Result{RequeueAfter: -time.Second}, nil
			}
			return controller.Result{}, nil
		}), controller.Options{Trace: &controller.Trace{Retried: func(_ controller.TraceInfo, _ time.Duration, err error) { failed = err }}})
		controller.For(c, maps)
		stop := s.run(c)
		time.Sleep(time.Minute)
		stop()
		require.ErrorIs(t, failed, controller.ErrRequeueAfter)
		require.ErrorContains(t, failed, "-1s")
		require.Equal(t, 2, runs)
	})
}

// A nil argument is an error and does not panic.
func TestNilArgumentsAreErrors(t *testing.T) {
	var none context.Context
	var client *rest.Client
	maps := informer.For(informer.NewFactory(informer.FactoryOptions{}), rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	c := controller.New("maps", controller.Func(doNothing), controller.Options{})
	controller.For(c, maps)
	require.ErrorIs(t, c.Run(none), controller.ErrNoContext)
	require.ErrorIs(t, controller.Run(none, controller.RunOptions{}, c), controller.ErrNoContext)

	resource := rest.NewResource[*configMap](client, configMaps).Namespace("default")
	_, err := resource.Get(t.Context(), "a", metav1.GetOptions{})
	require.ErrorIs(t, err, rest.ErrNoClient)
	_, err = resource.Create(t.Context(), newMap("a"), metav1.CreateOptions{})
	require.ErrorIs(t, err, rest.ErrNoClient)
	_, err = resource.List(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, rest.ErrNoClient)
	_, err = resource.Watch(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, rest.ErrNoClient)
	require.ErrorIs(t, resource.Delete(t.Context(), "a", metav1.DeleteOptions{}), rest.ErrNoClient)
	require.ErrorIs(t, client.Get().AbsPath("/version").Do(t.Context()).Error(), rest.ErrNoClient)

	withoutFactory := informer.For(nil, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	require.ErrorIs(t, withoutFactory.Run(t.Context()), informer.ErrNoFactory)
	require.ErrorIs(t, withoutFactory.WaitForSync(t.Context()), informer.ErrNoFactory)
	require.ErrorIs(t, informer.NewFactory(informer.FactoryOptions{}).Start(none), informer.ErrNoContext)
	single := informer.New(rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	require.ErrorIs(t, single.Run(none), informer.ErrNoContext)
	require.ErrorIs(t, single.WaitForSync(none), informer.ErrNoContext)
}

// Owns with two kinds of For is an error before anything starts.
func TestOwnsWithTwoKindsIsAnError(t *testing.T) {
	s := newFixture(t, 0)
	maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
	others := informer.For(s.factory, rest.NewView[*coloured](s.client, colours), informer.Options[*coloured]{})
	c := controller.New("two", controller.Func(doNothing), controller.Options{})
	controller.For(c, maps)
	controller.For(c, others)
	controller.Owns(c, maps)
	err := controller.Run(t.Context(), controller.RunOptions{Factory: s.factory, NoSignals: true}, c)
	require.ErrorIs(t, err, controller.ErrAmbiguousOwner)
	require.ErrorContains(t, err, "use one controller for each kind: two: For was called with ConfigMap and Coloured.example.com")
}

// FilterCreates and FilterDeletes select the creates and deletes that are reconciled. They
// do not apply to updates.
func TestFiltersApplyToCreatesAndDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		s.create("initial")
		s.create("initial-filtered")
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		var reconciled []string
		c := controller.New("maps", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
			reconciled = append(reconciled, req.Name)
			return controller.Result{}, nil
		}), controller.Options{})
		short := func(o *configMap) bool { return len(o.Name) < 8 }
		controller.For(c, maps).FilterCreates(short).FilterDeletes(func(o *configMap) bool { return o.Data["x"] == "y" })
		stop := s.run(c)
		take := func() []string {
			time.Sleep(time.Second)
			synctest.Wait()
			all := reconciled
			reconciled = nil
			slices.Sort(all)
			return all
		}
		require.Equal(t, []string{"initial"}, take())
		s.create("new")
		s.create("new-filtered")
		require.Equal(t, []string{"new"}, take())
		s.touch(t.Context(), "new-filtered")
		require.Equal(t, []string{"new-filtered"}, take(), "an update was filtered")
		require.NoError(t, s.maps.Delete(t.Context(), "new", metav1.DeleteOptions{}))
		require.NoError(t, s.maps.Delete(t.Context(), "new-filtered", metav1.DeleteOptions{}))
		require.Equal(t, []string{"new-filtered"}, take(), "FilterDeletes did not receive the last state")
		stop()
	})
}

// fakeMetrics is a metrics provider that records the names of queues.
type fakeMetrics struct {
	workqueue.MetricsProvider
	names *sync.Map
}

type gauge struct{}

func (gauge) Inc()            {}
func (gauge) Dec()            {}
func (gauge) Set(float64)     {}
func (gauge) Observe(float64) {}
func (m fakeMetrics) NewDepthMetric(name string) workqueue.GaugeMetric {
	m.names.Store(name, true)
	return gauge{}
}
func (fakeMetrics) NewAddsMetric(string) workqueue.CounterMetric           { return gauge{} }
func (fakeMetrics) NewLatencyMetric(string) workqueue.HistogramMetric      { return gauge{} }
func (fakeMetrics) NewWorkDurationMetric(string) workqueue.HistogramMetric { return gauge{} }
func (fakeMetrics) NewRetriesMetric(string) workqueue.CounterMetric        { return gauge{} }
func (fakeMetrics) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return gauge{}
}
func (fakeMetrics) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return gauge{}
}

// queueNames sets the metrics provider, which a process can do once, and returns the
// names that it records.
var queueNames = sync.OnceValue(func() *sync.Map {
	names := new(sync.Map)
	workqueue.SetProvider(fakeMetrics{names: names})
	return names
})

// The queue has the name of its controller. Its metrics come from the provider that is
// passed to workqueue.SetProvider.
func TestQueueHasTheNameOfTheController(t *testing.T) {
	names := queueNames()
	names.Clear()
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		c := controller.New("measured", controller.Func(doNothing), controller.Options{})
		controller.For(c, maps)
		stop := s.run(c)
		time.Sleep(time.Second)
		stop()
	})
	_, found := names.Load("measured")
	require.True(t, found)
}
