package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The secrets of the benchmark, and how many of them are read.
const (
	manySecrets  = 10_000
	secretBytes  = 32 << 10
	secretsRead  = 20
	memoryHost   = "THINFORMER_BODIES_HOST" // the server of the measured process
	memoryReport = "memory:"
)

// BenchmarkBodiesMemory measures the memory of a program with Bodies of 10,000 secrets of
// which it reads 20, beyond the same program without them. It runs in a process of its
// own, since the server has the secrets.
func BenchmarkBodiesMemory(b *testing.B) {
	if testing.Short() {
		b.Skip("a process of its own with 320 MB of secrets")
	}
	server := apitest.NewServer(apitest.Options{PlainHTTP: true, Logger: slog.New(slog.DiscardHandler)})
	defer server.Close()
	apitest.Seed(b, server, manySecrets, newLargeSecret)
	for range b.N {
		without, with := measureBodies(b, server, false), measureBodies(b, server, true)
		b.ReportMetric(float64(with[0]-without[0])/1e6, "MB-live")
		b.ReportMetric(float64(with[1]-without[1])/1e6, "MB-resident")
	}
}

func newLargeSecret(i int) *Secret {
	return &Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprint("shop-", i%100), Name: fmt.Sprint("tls-", i),
			Labels: map[string]string{"app.kubernetes.io/name": fmt.Sprint("shop-", i%100), "app.kubernetes.io/managed-by": "cert-manager"},
			Annotations: map[string]string{
				"cert-manager.io/certificate-name":                 fmt.Sprint("tls-", i),
				"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat("x", secretBytes/8),
			},
		},
		Data: map[string][]byte{"tls.crt": make([]byte, secretBytes/2), "tls.key": make([]byte, secretBytes/2)},
	}
}

// measureBodies returns the live and resident bytes of a process.
func measureBodies(b *testing.B, server *apitest.Server, bodies bool) [2]int {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBodiesMemoryProcess$", "-test.v")
	cmd.Env = append(os.Environ(), memoryHost+"="+server.Config().Host, fmt.Sprintf("THINFORMER_BODIES=%t", bodies))
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", out)
	_, report, found := strings.Cut(string(out), memoryReport)
	require.True(b, found, "%s", out)
	var result [2]int
	_, err = fmt.Sscan(report, &result[0], &result[1])
	require.NoError(b, err)
	return result
}

// TestBodiesMemoryProcess is the measured process of BenchmarkBodiesMemory.
func TestBodiesMemoryProcess(t *testing.T) {
	host := os.Getenv(memoryHost)
	if host == "" {
		t.Skip("it is a part of BenchmarkBodiesMemory")
	}
	client, err := rest.New(&rest.Config{Host: host})
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	factory := informer.NewFactory(informer.FactoryOptions{})
	small := informer.For(factory, rest.NewView[*Pod](client, pods), informer.Options[*Pod]{})
	var secretBodies *informer.Bodies[*Secret]
	if os.Getenv("THINFORMER_BODIES") == "true" {
		secretBodies = informer.ForBodies(factory, rest.NewView[*Secret](client, secrets), informer.BodyOptions[*Secret]{})
	}
	require.NoError(t, factory.Start(ctx))
	require.NoError(t, factory.WaitForSync(ctx))
	for i := range secretsRead {
		if secretBodies != nil {
			_, ok, err := secretBodies.Get(ctx, fmt.Sprintf("shop-%d/tls-%d", i%100, i))
			require.NoError(t, err)
			require.True(t, ok)
		}
	}
	live := liveHeap()
	fmt.Println(memoryReport, live, residentBytes(t))
	small.Release()
	cancel()
	require.NoError(t, factory.Shutdown())
}

// residentBytes returns the resident memory of the process, 0 if the system does not say.
func residentBytes(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(status))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}
