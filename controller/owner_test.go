package controller_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

func newOwner(namespace, name string, uid types.UID) *configMap {
	return &configMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: uid}}
}

// SetControllerReference is idempotent: an object has one reference to an owner and one
// controller.
func TestSetControllerReferenceIsIdempotent(t *testing.T) {
	owner, child := newOwner("default", "a", "u1"), newMap("child")
	shared := []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "b", UID: "u2"}, {APIVersion: "v0", Kind: "ConfigMap", Name: "a", UID: "u1"}}
	child.OwnerReferences = shared
	for range 2 {
		require.NoError(t, controller.SetControllerReference(owner, configMaps, child))
		require.Len(t, child.OwnerReferences, 2)
		require.Nil(t, child.OwnerReferences[0].Controller)
		ref := child.OwnerReferences[1]
		require.True(t, *ref.Controller && *ref.BlockOwnerDeletion)
		require.Equal(t, "v1 ConfigMap a u1", ref.APIVersion+" "+ref.Kind+" "+ref.Name+" "+string(ref.UID))
	}
	require.Nil(t, shared[1].Controller, "the list of the informer was changed")

	before := child.DeepCopyRefs()
	err := controller.SetControllerReference(newOwner("default", "a", "u3"), configMaps, child)
	var owned *controller.AlreadyOwnedError
	require.ErrorAs(t, err, &owned)
	require.Equal(t, types.UID("u1"), owned.Owner.UID)
	require.EqualError(t, err, `controller: ConfigMap a (uid u3) cannot be the controller of "default/child", which is already controlled by ConfigMap a (uid u1)`)
	require.Equal(t, before, child.OwnerReferences)
}

func (c *configMap) DeepCopyRefs() (refs []metav1.OwnerReference) {
	for _, ref := range c.OwnerReferences {
		refs = append(refs, *ref.DeepCopy())
	}
	return refs
}

// SetControllerReference rejects an owner that the garbage collector does not find,
// because it would delete the object at once.
func TestInvalidOwnersAreRejected(t *testing.T) {
	cluster := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: "Node"}
	noKind := configMaps
	noKind.Kind = ""
	for name, c := range map[string]struct {
		owner *configMap
		info  rest.ResourceInfo
		obj   *configMap
		want  string
	}{
		"no owner":                   {nil, configMaps, newMap("x"), "the owner is nil"},
		"no object":                  {newOwner("default", "a", "u"), configMaps, nil, "the object is nil"},
		"no kind":                    {newOwner("default", "a", "u"), noKind, newMap("x"), "has no kind"},
		"no uid":                     {newOwner("default", "a", ""), configMaps, newMap("x"), "has no uid"},
		"no name":                    {newOwner("default", "", "u"), configMaps, newMap("x"), "no name"},
		"another namespace":          {newOwner("other", "a", "u"), configMaps, newMap("x"), `"x" is in namespace "default", and its owner is ConfigMap other/a`},
		"object without a namespace": {newOwner("other", "a", "u"), configMaps, newOwner("", "x", ""), "set the object's namespace first"},
		"cluster-scoped owner":       {newOwner("", "a", "u"), cluster, newMap("x"), ""},
		"both cluster-scoped":        {newOwner("", "a", "u"), cluster, newOwner("", "x", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := controller.SetControllerReference(c.owner, c.info, c.obj)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, controller.ErrControllerReference)
			require.ErrorContains(t, err, c.want)
			if c.obj != nil {
				require.Empty(t, c.obj.OwnerReferences)
			}
		})
	}
}

// Owns compares group and kind and ignores the version. Owns and For may be called in any
// order.
func TestOwnsEnqueuesTheOwner(t *testing.T) {
	yes, no := true, false
	ref := func(apiVersion, kind, name string, isController *bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: "u", Controller: isController}
	}
	for _, c := range []struct {
		name string
		refs []metav1.OwnerReference
		want string
	}{
		{"same version", []metav1.OwnerReference{ref("apps/v1", "Deployment", "web", &yes)}, "default/web"},
		{"another version", []metav1.OwnerReference{ref("apps/v1beta1", "Deployment", "web", &yes)}, "default/web"},
		{"second of two owners", []metav1.OwnerReference{ref("v1", "Pod", "x", nil), ref("apps/v1", "Deployment", "web", &yes)}, "default/web"},
		{"another group", []metav1.OwnerReference{ref("v1", "Deployment", "web", &yes)}, ""},
		{"another kind", []metav1.OwnerReference{ref("apps/v1", "StatefulSet", "web", &yes)}, ""},
		{"not the controller", []metav1.OwnerReference{ref("apps/v1", "Deployment", "web", &no), ref("apps/v1", "Deployment", "web", nil)}, ""},
		{"invalid version", []metav1.OwnerReference{ref("a/b/c", "Deployment", "web", &yes)}, ""},
		{"no owner", nil, ""},
	} {
		for _, ownsFirst := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				s := newFixture(t, 0)
				deployments := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true}
				owners := informer.For(s.factory, rest.NewView[*metav1.PartialObjectMetadata](s.client, deployments), informer.Options[*metav1.PartialObjectMetadata]{})
				owned := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
				got := make(chan string, 9)
				ctl := controller.New("c", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
					got <- req.String()
					return controller.Result{}, nil
				}), controller.Options{})
				if ownsFirst {
					controller.Owns(ctl, owned)
				}
				controller.For(ctl, owners)
				if !ownsFirst {
					controller.Owns(ctl, owned)
				}
				end := make(chan controller.Request)
				controller.Channel(ctl, end)
				stop := s.run(ctl)
				child := newMap("child")
				child.OwnerReferences = c.refs
				apitest.Create(t, s.server, child)
				require.NoError(t, owned.WaitForVersion(t.Context(), apitest.Get(t, s.server, child).ResourceVersion))
				if c.want != "" {
					require.Equal(t, c.want, <-got)
				}
				end <- controller.Request{Name: "end"}
				require.Equal(t, "end", <-got)
				stop()
			})
		}
	}
}

// Owns without a For is an error.
func TestOwnsNeedsAFor(t *testing.T) {
	s := newFixture(t, 0)
	c := controller.New("c", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
		return controller.Result{}, nil
	}), controller.Options{})
	controller.Owns(c, informer.For(s.factory, s.maps, informer.Options[*configMap]{}))
	require.ErrorIs(t, c.Run(t.Context()), controller.ErrNoOwner)
}
