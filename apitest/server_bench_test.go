package apitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest/internal/listener"
)

// transports are the transports of a server.
var transports = []struct {
	name    string
	options Options
}{
	{"in memory", Options{InMemory: true}},
	{"plain", Options{PlainHTTP: true}},
	{"TLS", Options{}},
}

// From NewServer to the first response: the goal is 2 ms.
func BenchmarkStart(b *testing.B) {
	for _, way := range transports {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				srv := NewServer(way.options)
				client := srv.testClient(b)
				benchGet(b, client, srv.URL+"/api/v1/namespaces/default/configmaps/absent", http.StatusNotFound)
				b.StopTimer()
				client.CloseIdleConnections()
				srv.Close()
				b.StartTimer()
			}
		})
	}
}

func benchGet(t testing.TB, client *http.Client, url string, code int) {
	response, err := client.Get(url)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, code, response.StatusCode)
}

const benchConfigMaps = "/api/v1/namespaces/default/configmaps"

// benchPod is a pod of 1 KB.
func benchPod(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"app":"web","tier":"front"},"annotations":{"example.com/note":"%0100d"}},"spec":{"nodeName":"node-1","restartPolicy":"Always","containers":[{"name":"web","image":"registry.example.com/web:1.2.3","ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"100m","memory":"64Mi"},"requests":{"cpu":"50m","memory":"32Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]},{"name":"side","image":"registry.example.com/side:1.0","args":["--log","--level=2"]}],"volumes":[{"name":"data","emptyDir":{}}],"tolerations":[{"key":"node","operator":"Exists","effect":"NoSchedule"}]}}`, name, 7)
}

func benchConfigMap(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"labels":{"app":"bench"}},"data":{"key":"value"}}`, name)
}

func benchCreate(t testing.TB, client *http.Client, url string, body []byte) {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusCreated {
		t.Errorf("POST %s: %s %v %s", url, response.Status, err, text)
	}
}

// A create over HTTP and its event at a watch: the goal is 250 us.
func BenchmarkCreateAndEvent(b *testing.B) {
	for _, way := range transports {
		b.Run(way.name, func(b *testing.B) {
			srv := NewServer(way.options)
			defer srv.Close()
			client := srv.testClient(b)
			w := openWatch(b, context.Background(), srv, srv.testClient(b), benchConfigMaps+"?watch=true&resourceVersion="+fmt.Sprint(srv.store.Current()))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				benchCreate(b, client, srv.URL+benchConfigMaps, benchConfigMap(fmt.Sprint("object-", i)))
				line, err := w.lines.ReadSlice('\n')
				require.NoError(b, err)
				require.Contains(b, string(line), `"ADDED"`)
				i++
			}
		})
	}
}

// Creates over HTTP from 8 clients: the goal is 5,000 per second.
func BenchmarkCreates(b *testing.B) {
	for resource, body := range map[string]func(string) []byte{"pods": benchPod, "configmaps": benchConfigMap} {
		for _, way := range transports {
			b.Run(resource+" "+way.name, func(b *testing.B) {
				srv := NewServer(way.options)
				defer srv.Close()
				var clients sync.WaitGroup
				var next atomic.Int64
				b.ReportAllocs()
				b.ResetTimer()
				for range 8 {
					client := srv.testClient(b)
					clients.Go(func() {
						for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
							benchCreate(b, client, srv.URL+inDefault+resource, body(fmt.Sprint("object-", i)))
						}
					})
				}
				clients.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
			})
		}
	}
}

// The memory of an idle watch, in addition to an unfinished response of
// net/http: the goal is 5 KB.
func BenchmarkIdleWatch(b *testing.B) {
	for _, way := range transports {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				srv := NewServer(way.options)
				path := benchConfigMaps + "?watch=true&allowWatchBookmarks=true&labelSelector=app%3Dbench&resourceVersion=" + fmt.Sprint(srv.store.Current())
				ours := idleBytes(b, srv.testClient, srv.URL+path)
				url, client, end := idleServer(b, srv, path)
				theirs := idleBytes(b, client, url)
				end()
				srv.Close()
				b.ReportMetric(ours-theirs, "B/watch")
				b.ReportMetric(theirs, "net/http-B/watch")
			}
		})
	}
}

// idleBytes returns the memory per unfinished response, including the client.
func idleBytes(b *testing.B, newClient func(testing.TB) *http.Client, url string) float64 {
	const n = 2_000
	ctx, cancel := context.WithCancel(context.Background())
	client := newClient(b)
	before := heapAndStackBytes()
	responses := make([]*http.Response, n)
	for i := range responses {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		require.NoError(b, err)
		responses[i], err = client.Do(request)
		require.NoError(b, err)
		require.Equal(b, http.StatusOK, responses[i].StatusCode)
	}
	taken := heapAndStackBytes() - before
	cancel()
	for _, response := range responses {
		response.Body.Close()
	}
	client.CloseIdleConnections()
	return float64(taken) / n
}

// heapAndStackBytes returns the memory of objects and stacks. A stack shrinks by half
// with each collection.
func heapAndStackBytes() int64 {
	var stats runtime.MemStats
	for range 4 {
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc + stats.StackInuse)
}

// idleServer is a net/http server on the same transport as srv that begins a
// response to each request.
func idleServer(b testing.TB, srv *Server, path string) (url string, client func(testing.TB) *http.Client, end func()) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	reference := &Server{options: srv.options, tls: srv.tls}
	server := &http.Server{Handler: handler}
	if srv.tls != nil {
		server.TLSConfig = srv.tls.TLSConfig()
	}
	reference.listener = listener.New("127.0.0.1:0", srv.options.InMemory, func(through net.Listener) {
		if reference.tls != nil {
			_ = server.ServeTLS(through, "", "")
		} else {
			_ = server.Serve(through)
		}
	}, nil)
	require.NoError(b, reference.listener.Open())
	scheme, address := "http://", reference.listener.DialAddress()
	if reference.tls != nil {
		scheme = "https://"
	}
	return scheme + address + path, reference.testClient, func() {
		server.Close()
		reference.listener.Close()
	}
}

// 50,000 objects seeded from Go: the goal is a second.
func BenchmarkSeed(b *testing.B) {
	for b.Loop() {
		srv := NewServer(Options{InMemory: true})
		Seed(b, srv, 50_000, func(i int) *seededConfigMap {
			obj := &seededConfigMap{Data: map[string]string{"key": "value"}}
			obj.Kind, obj.APIVersion = "ConfigMap", "v1"
			obj.Namespace, obj.Name = "default", fmt.Sprint("object-", i)
			obj.Labels = map[string]string{"app": "bench"}
			return obj
		})
		srv.Close()
	}
}

type seededConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data"`
}
