package operators

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// settle is how long the effect of a change may take on a slow machine.
const settle = 30 * time.Second

func infoOf(group, version, resource, kind string, namespaced bool) rest.ResourceInfo {
	return rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, Kind: kind, Namespaced: namespaced}
}

var (
	configMaps   = infoOf("", "v1", "configmaps", "ConfigMap", true)
	secrets      = infoOf("", "v1", "secrets", "Secret", true)
	namespaces   = infoOf("", "v1", "namespaces", "Namespace", false)
	roles        = infoOf(rbacv1.GroupName, "v1", "roles", "Role", true)
	roleBindings = infoOf(rbacv1.GroupName, "v1", "rolebindings", "RoleBinding", true)
)

// cluster is a control plane with its administrator.
type cluster struct {
	t       *testing.T
	servers *plane.Plane
	admin   *rest.Client
}

func newCluster(t *testing.T) *cluster {
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	c := &cluster{t: t, servers: servers}
	c.admin, err = rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(c.admin.Close)
	return c
}

// program is the user of the clients of programs. It has the permissions of grant only.
const program = "program"

// client returns a client of a user, and its requests.
func (c *cluster) client(user string) (*rest.Client, *requests) {
	c.t.Helper()
	config, r := c.servers.Config(plane.Admin), new(requests)
	if user != string(plane.Admin) {
		config.Impersonate.UserName = user
	}
	config.Logger = slog.New(slog.DiscardHandler)
	r.observe(config)
	client, err := rest.New(config)
	require.NoError(c.t, err)
	c.t.Cleanup(client.Close)
	return client, r
}

// create creates an object as the administrator.
func create[T rest.Object](c *cluster, info rest.ResourceInfo, o T) T {
	c.t.Helper()
	made, err := rest.NewResource[T](c.admin, info).Namespace(o.GetNamespace()).Create(c.t.Context(), o, metav1.CreateOptions{})
	require.NoError(c.t, err)
	return made
}

// update replaces an object as the administrator.
func update[T rest.Object](c *cluster, info rest.ResourceInfo, o T) T {
	c.t.Helper()
	made, err := rest.NewResource[T](c.admin, info).Namespace(o.GetNamespace()).Update(c.t.Context(), o, metav1.UpdateOptions{})
	require.NoError(c.t, err)
	return made
}

// remove deletes an object as the administrator.
func (c *cluster) remove(info rest.ResourceInfo, namespace, name string) {
	c.t.Helper()
	require.NoError(c.t, rest.NewResource[*metav1.PartialObjectMetadata](c.admin, info).Namespace(namespace).Delete(c.t.Context(), name, metav1.DeleteOptions{}))
}

// namespace creates a namespace.
func (c *cluster) namespace(name string, labels map[string]string) {
	c.t.Helper()
	create(c, namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
}

// deleteNamespace deletes a namespace, with its config maps and bindings, as the namespace
// controller does.
func (c *cluster) deleteNamespace(name string) {
	c.t.Helper()
	c.remove(namespaces, "", name)
	for _, info := range []rest.ResourceInfo{configMaps, roleBindings, roles} {
		all := rest.NewResource[*metav1.PartialObjectMetadata](c.admin, info).Namespace(name)
		require.NoError(c.t, all.DeleteCollection(c.t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	}
	var terminating corev1.Namespace
	core := c.admin.GroupVersion(namespaces.GroupVersion())
	require.NoError(c.t, core.Get().Resource("namespaces").Name(name).Do(c.t.Context()).Into(&terminating))
	terminating.APIVersion, terminating.Kind, terminating.Spec.Finalizers = "v1", "Namespace", nil
	require.NoError(c.t, core.Put().Resource("namespaces").Name(name).SubResource("finalize").Body(&terminating).Do(c.t.Context()).Error())
	require.True(c.t, apierrors.IsNotFound(core.Get().Resource("namespaces").Name(name).Do(c.t.Context()).Error()))
}

// grant lets program use a resource in a namespace, and returns when the server's authorizer
// knows it.
func (c *cluster) grant(namespace string, info rest.ResourceInfo, verbs ...string) {
	c.t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: info.Resource}
	create(c, roles, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{info.Group}, Resources: []string{info.Resource}, Verbs: verbs}}})
	create(c, roleBindings, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: program}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: info.Resource},
	})
	for _, verb := range verbs {
		c.waitAllowed(namespace, info, verb, true)
	}
}

// revoke removes what grant has created, and returns when the server's authorizer knows it.
func (c *cluster) revoke(namespace string, info rest.ResourceInfo, verbs ...string) {
	c.t.Helper()
	c.remove(roleBindings, namespace, info.Resource)
	c.remove(roles, namespace, info.Resource)
	for _, verb := range verbs {
		c.waitAllowed(namespace, info, verb, false)
	}
}

func (c *cluster) waitAllowed(namespace string, info rest.ResourceInfo, verb string, allowed bool) {
	c.t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: program, ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: info.Group, Resource: info.Resource},
	}}
	c.eventually(func(now *assert.CollectT) {
		var answer authorizationv1.SubjectAccessReview
		request := c.admin.GroupVersion(authorizationv1.SchemeGroupVersion).Post().Resource("subjectaccessreviews")
		require.NoError(now, request.Body(review).Do(c.t.Context()).Into(&answer))
		require.Equal(now, allowed, answer.Status.Allowed, "%s %s in %s", verb, info.Resource, namespace)
	})
}

// eventually waits until a condition holds.
func (c *cluster) eventually(condition func(*assert.CollectT)) {
	c.t.Helper()
	require.EventuallyWithT(c.t, condition, settle, 20*time.Millisecond)
}

// configMap returns a config map with a content.
func configMap(namespace, name string, serial int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"serial": fmt.Sprint(serial)}}
}
