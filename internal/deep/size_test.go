package deep

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Size estimates what the runtime allocates, within a quarter.
func TestSizeIsCloseToTheAllocatedMemory(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	bytes := func(n int) []byte { return []byte(text(n)) }
	for name, create := range map[string]func() any{
		"bytes":  func() any { return &struct{ Data []byte }{bytes(10_000)} },
		"string": func() any { return &struct{ Data string }{text(10_000)} },
		"a secret": func() any {
			return &struct {
				metav1.ObjectMeta
				Data map[string][]byte
			}{metav1.ObjectMeta{Name: text(20), CreationTimestamp: metav1.Time{Time: time.Now()}}, map[string][]byte{"a": bytes(4000), "b": bytes(4000)}}
		},
		"unstructured": func() any {
			ports := make([]any, 100)
			for i := range ports {
				ports[i] = map[string]any{"name": text(30), "port": int64(80), "protocol": text(3)}
			}
			return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"ports": ports}}}
		},
		"a large map": func() any {
			labels := map[string]string{}
			for i := range 1000 {
				labels[text(20+i%10)+string(rune('a'+i%26))+time.Duration(i).String()] = text(100)
			}
			return labels
		},
	} {
		const n = 100
		objects := make([]any, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range objects {
			objects[i] = create()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		allocated := float64(after.HeapAlloc-before.HeapAlloc) / n
		require.InEpsilon(t, allocated, float64(Size(objects[0])), 0.25, name)
	}
	require.Zero(t, Size(nil))
	require.Equal(t, int64(8), Size((*gadget)(nil)))
}

// Cyclic values end.
func TestSizeOfACyclicValue(t *testing.T) {
	type node struct{ Left, Right *node }
	cycle := &node{}
	cycle.Left, cycle.Right = cycle, cycle
	require.Positive(t, Size(cycle))
}
