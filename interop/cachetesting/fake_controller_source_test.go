//lint:file-ignore SA1019 Informers accept the deprecated ListerWatcher.

package framework_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/cache"
	framework "github.com/thinformer/thinformer/interop/cachetesting"
)

var _ = []cache.ListerWatcher{
	&framework.FakeControllerSource{}, &framework.FakePVControllerSource{}, &framework.FakePVCControllerSource{},
}

// List returns the typed lists, with their versions, in the order of the names; ListError
// applies to them too.
func TestListsAreTyped(t *testing.T) {
	volumes := framework.NewFakePVControllerSource()
	defer volumes.Shutdown()
	volumes.Add(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
	volumes.Add(&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	got, err := volumes.List(metav1.ListOptions{})
	require.NoError(t, err)
	list := got.(*corev1.PersistentVolumeList)
	require.Equal(t, "2", list.ResourceVersion)
	require.Len(t, list.Items, 2)
	require.Equal(t, "a", list.Items[0].Name)

	claims := framework.NewFakePVCControllerSource()
	defer claims.Shutdown()
	claims.Add(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}})
	got, err = claims.List(metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, "a", got.(*corev1.PersistentVolumeClaimList).Items[0].Name)

	claims.ListError = errors.New("refused")
	got, err = claims.List(metav1.ListOptions{})
	require.Equal(t, claims.ListError, err)
	require.Nil(t, got)
	volumes.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "no volume"}})
	_, err = volumes.List(metav1.ListOptions{})
	require.ErrorContains(t, err, "as a *v1.PersistentVolumeList")

	pods := framework.NewFakeControllerSource()
	pods.Shutdown()
}
