package indexer

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type accessor struct{ meta *metav1.ObjectMeta }

func (a accessor) GetObjectMeta() metav1.Object {
	if a.meta == nil {
		var none *metav1.ObjectMeta
		return none
	}
	return a.meta
}

func TestMetaNamespaceKeyFunc(t *testing.T) {
	meta := &metav1.ObjectMeta{Namespace: "kube-system", Name: "dns"}
	for _, tc := range []struct {
		name string
		key  func() (string, error)
		want string
		err  error
	}{
		{"namespaced", func() (string, error) { return MetaNamespaceKeyFunc(meta) }, "kube-system/dns", nil},
		{"cluster-scoped", func() (string, error) { return MetaNamespaceKeyFunc(&metav1.ObjectMeta{Name: "n1"}) }, "n1", nil},
		{"explicit key", func() (string, error) { return MetaNamespaceKeyFunc(ExplicitKey("a/b")) }, "a/b", nil},
		{"accessor", func() (string, error) { return MetaNamespaceKeyFunc(accessor{meta}) }, "kube-system/dns", nil},
		{"untyped", func() (string, error) { return MetaNamespaceKeyFunc[any](meta) }, "kube-system/dns", nil},
		{"accessor that returns nil", func() (string, error) { return MetaNamespaceKeyFunc(accessor{}) }, "", ErrNoMetadata},
		{"nil pointer", func() (string, error) { return MetaNamespaceKeyFunc((*metav1.ObjectMeta)(nil)) }, "", ErrNilObject},
		{"nil pointer in an interface", func() (string, error) { return MetaNamespaceKeyFunc[any]((*metav1.ObjectMeta)(nil)) }, "", ErrNilObject},
		{"nil interface", func() (string, error) { return MetaNamespaceKeyFunc[any](nil) }, "", ErrNilObject},
		{"no metadata", func() (string, error) { return MetaNamespaceKeyFunc(7) }, "", ErrNoMetadata},
		{"no name", func() (string, error) { return MetaNamespaceKeyFunc(&metav1.ObjectMeta{Namespace: "x"}) }, "", ErrNoName},
	} {
		t.Run(tc.name, func(t *testing.T) {
			key, err := tc.key()
			require.ErrorIs(t, err, tc.err)
			require.Equal(t, tc.want, key)
		})
	}
}

func TestSplitMetaNamespaceKey(t *testing.T) {
	for key, want := range map[string][2]string{
		"dns":             {"", "dns"},
		"kube-system/dns": {"kube-system", "dns"},
	} {
		namespace, name, err := SplitMetaNamespaceKey(key)
		require.NoError(t, err)
		require.Equal(t, want, [2]string{namespace, name})
	}
	for _, key := range []string{"", "/", "a/", "/b", "a/b/c", "a//b"} {
		_, _, err := SplitMetaNamespaceKey(key)
		require.ErrorIs(t, err, ErrBadKey, key)
	}
}

// MetaNamespaceKeyFunc returns the same key for the namespace and the name into which
// SplitMetaNamespaceKey has split it.
func FuzzSplitMetaNamespaceKey(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "/", "a/b/c", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		namespace, name, err := SplitMetaNamespaceKey(key)
		if err != nil {
			require.ErrorIs(t, err, ErrBadKey)
			return
		}
		again, err := MetaNamespaceKeyFunc(&metav1.ObjectMeta{Namespace: namespace, Name: name})
		require.NoError(t, err)
		require.Equal(t, key, again)
	})
}
