package interop_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"github.com/thinformer/thinformer/apitest"
)

// lines has the open connections of a client, so that a test can close them.
type lines struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[net.Conn]bool{}
	}
	l.open[conn] = true
	return conn, nil
}

func (l *lines) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		conn.Close()
	}
	clear(l.open)
}

// clientset returns client-go's clientset for a test server. Its connections are closed
// after the test.
func clientset(t *testing.T, srv *apitest.Server, over *lines) kubernetes.Interface {
	t.Helper()
	config := srv.Config()
	client, err := kubernetes.NewForConfig(&clientrest.Config{
		Host:            config.Host,
		TLSClientConfig: clientrest.TLSClientConfig{CAData: config.TLS.CAData},
		BearerToken:     config.BearerToken,
		QPS:             -1,
		Dial:            over.dial,
	})
	require.NoError(t, err)
	t.Cleanup(over.cut)
	return client
}

// client-go's informer verifies the test server: however its connections break and its
// history is compacted, its store converges to the server's objects and versions.
func TestClientGoInformerConverges(t *testing.T) {
	for _, mode := range []struct {
		name      string
		watchList bool
		page      int64
	}{
		{name: "list then watch", page: 0},
		{name: "list in pages", page: 3},
		{name: "watch-list", watchList: true},
	} {
		t.Run(mode.name, func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, mode.watchList)
			for _, options := range []apitest.Options{{}, {PlainHTTP: true}} {
				t.Run(fmt.Sprintf("plain=%t", options.PlainHTTP), func(t *testing.T) {
					srv := apitest.NewServer(options)
					defer srv.Close()
					convergesUnderFaults(t, srv, mode.watchList, mode.page)
				})
			}
		})
	}
}

func convergesUnderFaults(t *testing.T, srv *apitest.Server, watchList bool, page int64) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var quiet, cut lines
	writer := clientset(t, srv, &quiet)
	reader := clientset(t, srv, &cut)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	calls := &counted{client: reader, page: page}
	informer := cache.NewSharedIndexInformer(
		cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: calls.list, WatchFuncWithContext: calls.watch,
		}, reader), &corev1.ConfigMap{}, 0, nil)
	history := newHistory()
	_, err := informer.AddEventHandler(history)
	require.NoError(t, err)
	write(t, writer, random, 20)
	running.Go(func() { informer.RunWithContext(ctx) })
	require.True(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))
	// Later, client-go lists in either mode: it does if a watch request fails.
	if watchList {
		require.Zero(t, calls.lists.Load(), "client-go has listed although the server streams lists")
		require.NotZero(t, calls.watchLists.Load())
	} else {
		require.NotZero(t, calls.lists.Load())
	}

	for range 10 {
		write(t, writer, random, 20)
		switch random.IntN(3) {
		case 0:
			cut.cut()
		case 1: // the server discards events that the informer has not received
			cut.cut()
			write(t, writer, random, 5)
			srv.Compact()
		}
	}
	require.Eventually(t, func() bool {
		return maps.Equal(held(t, writer), cached(informer))
	}, converging, 20*time.Millisecond, "server %v\ninformer %v", held(t, writer), cached(informer))
	require.Empty(t, history.illegal())
}

// converging is the timeout of an informer that resumes. client-go waits up to a minute,
// with its jitter, after several failures.
const converging = 3 * time.Minute

// write makes n random changes to config maps.
func write(t *testing.T, client kubernetes.Interface, random *rand.Rand, n int) {
	t.Helper()
	maps := client.CoreV1().ConfigMaps("default")
	for range n {
		name := "m" + strconv.Itoa(random.IntN(12))
		var err error
		switch random.IntN(4) {
		case 0, 1:
			_, err = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		case 2:
			err = maps.Delete(t.Context(), name, metav1.DeleteOptions{})
		default:
			_, err = maps.Update(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Data:       map[string]string{"n": strconv.Itoa(random.Int())},
			}, metav1.UpdateOptions{})
		}
		if !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
			require.NoError(t, err)
		}
	}
}

// held returns the version of each of the server's objects.
func held(t *testing.T, client kubernetes.Interface) map[string]string {
	list, err := client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	versions := map[string]string{}
	for _, item := range list.Items {
		versions[item.Name] = item.ResourceVersion
	}
	return versions
}

func cached(informer cache.SharedIndexInformer) map[string]string {
	versions := map[string]string{}
	for _, item := range informer.GetStore().List() {
		versions[item.(*corev1.ConfigMap).Name] = item.(*corev1.ConfigMap).ResourceVersion
	}
	return versions
}

// counted lists and watches config maps, in pages if page is set, and counts how the
// initial state was received.
type counted struct {
	client            kubernetes.Interface
	page              int64
	lists, watchLists atomic.Int64
}

func (c *counted) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	c.lists.Add(1)
	one := func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return c.client.CoreV1().ConfigMaps("default").List(ctx, options)
	}
	if c.page == 0 {
		return one(ctx, options)
	}
	pages := pager.New(one)
	pages.PageSize = c.page
	list, _, err := pages.List(ctx, metav1.ListOptions{})
	return list, err
}

func (c *counted) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		c.watchLists.Add(1)
	}
	return c.client.CoreV1().ConfigMaps("default").Watch(ctx, options)
}

// history checks that the notifications of a handler are consistent: an add precedes
// updates and deletes, and each old object is the previous one.
type history struct {
	mu     sync.Mutex
	last   map[string]string // name to version
	faults []string
}

func newHistory() *history { return &history{last: map[string]string{}} }

func (h *history) OnAdd(obj any, _ bool) {
	h.record("", obj.(*corev1.ConfigMap), "add")
}

func (h *history) OnUpdate(was, now any) {
	h.record(was.(*corev1.ConfigMap).ResourceVersion, now.(*corev1.ConfigMap), "update")
}

func (h *history) OnDelete(obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if name := obj.(*corev1.ConfigMap).Name; h.last[name] == "" {
		h.faults = append(h.faults, "delete of unknown "+name)
	}
	delete(h.last, obj.(*corev1.ConfigMap).Name)
}

func (h *history) record(was string, now *corev1.ConfigMap, what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last[now.Name] != was {
		h.faults = append(h.faults, fmt.Sprintf("%s of %s from %q, which was %q", what, now.Name, was, h.last[now.Name]))
	}
	h.last[now.Name] = now.ResourceVersion
}

func (h *history) illegal() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults
}
