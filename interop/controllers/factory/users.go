package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	typedappsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/ptr"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// users acts as the users of the cluster, which write deployments and settings.
type users struct {
	ctx         context.Context
	namespace   string
	shared      string // the namespace of the defaults
	deployments typedappsv1.DeploymentInterface
	settings    typedcorev1.ConfigMapInterface
	defaults    typedcorev1.ConfigMapInterface
	recorder    *steps.Recorder
}

// newUsers creates a namespace with one deployment, and one with the defaults.
func newUsers(ctx context.Context, client kubernetes.Interface, recorder *steps.Recorder) (*users, error) {
	var names []string
	for _, prefix := range []string{"factory-", "shared-"} {
		namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{GenerateName: prefix},
		}, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		names = append(names, namespace.Name)
	}
	u := &users{
		ctx: ctx, namespace: names[0], shared: names[1], recorder: recorder,
		deployments: client.AppsV1().Deployments(names[0]), settings: client.CoreV1().ConfigMaps(names[0]),
		defaults: client.CoreV1().ConfigMaps(names[1]),
	}
	_, err := u.defaults.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "defaults"}, Data: map[string]string{"level": "low"},
	}, metav1.CreateOptions{})
	return u, errors.Join(err, u.create("web", 1)())
}

// play creates, changes and deletes deployments, and compares the contents of the
// controller's listers.
func (u *users) play(c *controller) error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"initial objects", func() error { return nil }, []string{"web: created web-settings", "web: 1 replicas"}},
		{"web is scaled", u.scale("web", 3), []string{"web: wrote web-settings", "web: 3 replicas"}},
		{"its settings are modified", u.modifySettings("web-settings"), []string{"web: wrote web-settings"}},
		{"its settings are deleted", u.deleteSettings("web-settings"), []string{"web: created web-settings"}},
		{"settings without an owner exist", u.createSettings("db-settings"), nil},
		{"db needs the name of these settings", u.create("db", 2), []string{"db: db-settings has another owner"}},
		{"these settings are deleted", u.deleteSettings("db-settings"), []string{"db: created db-settings", "db: 2 replicas"}},
		{"web is deleted", u.delete("web"), []string{"web was deleted"}},
		{"its settings stay: garbage is not collected", u.modifySettings("web-settings"), nil},
		{"web is created again and waits for them", u.create("web", 5), []string{"web: web-settings has another owner"}},
		{"they are deleted", u.deleteSettings("web-settings"), []string{"web: created web-settings", "web: 5 replicas"}},
	} {
		if err := u.recorder.Step(step.title, step.do, step.want...); err != nil {
			return err
		}
	}
	if err := u.recorder.Step("the defaults change", u.changeDefaults("high"), "db: wrote db-settings", "web: wrote web-settings"); err != nil {
		return err
	}
	lists := []string{"db has the status 2 replicas", "db-settings has 2 and high for db", "web has the status 5 replicas", "web-settings has 5 and high for web"}
	if err := u.recorder.Step("contents of the listers", u.list(c, lists...), lists...); err != nil {
		return err
	}
	if err := u.recorder.Step("all are deleted", func() error {
		return errors.Join(u.delete("web")(), u.delete("db")())
	}, "web was deleted", "db was deleted"); err != nil {
		return err
	}
	// This is a separate step: a controller that has not received the deletion of a
	// deployment would create its settings again.
	return u.recorder.Step("their settings are deleted", func() error {
		return errors.Join(u.deleteSettings("web-settings")(), u.deleteSettings("db-settings")())
	})
}

func (u *users) create(name string, replicas int32) func() error {
	labels := map[string]string{"app": name}
	return func() error {
		_, err := u.deployments.Create(u.ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
			Spec: appsv1.DeploymentSpec{
				Replicas: ptr.To(replicas),
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/" + name}}},
				},
			},
		}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) scale(name string, replicas int32) func() error {
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	return func() error {
		_, err := u.deployments.Patch(u.ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func (u *users) modifySettings(settings string) func() error {
	return func() error {
		_, err := u.settings.Patch(u.ctx, settings, types.MergePatchType, []byte(`{"data":{"replicas":"1000"}}`), metav1.PatchOptions{})
		return err
	}
}

func (u *users) changeDefaults(level string) func() error {
	patch := fmt.Appendf(nil, `{"data":{"level":%q}}`, level)
	return func() error {
		_, err := u.defaults.Patch(u.ctx, "defaults", types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func (u *users) createSettings(settings string) func() error {
	return func() error {
		_, err := u.settings.Create(u.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: settings}}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) delete(name string) func() error {
	return func() error { return u.deployments.Delete(u.ctx, name, metav1.DeleteOptions{}) }
}

func (u *users) deleteSettings(settings string) func() error {
	return func() error { return u.settings.Delete(u.ctx, settings, metav1.DeleteOptions{}) }
}

// list waits until the contents of the controller's listers are as wanted, and reports them.
// The listers may not have received the controller's own writes yet.
func (u *users) list(c *controller, want ...string) func() error {
	return func() error {
		var said []string
		err := wait.PollUntilContextTimeout(u.ctx, 10*time.Millisecond, 2*time.Minute, true, func(context.Context) (done bool, err error) {
			said, err = u.listed(c)
			return slices.Equal(said, want), err
		})
		for _, line := range said {
			u.recorder.Report("%s", line)
		}
		return err
	}
}

func (u *users) listed(c *controller) ([]string, error) {
	selector, err := labels.Parse("example.com/settings=yes")
	if err != nil {
		return nil, err
	}
	settings, err := c.settings.ConfigMaps(u.namespace).List(selector)
	if err != nil {
		return nil, err
	}
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	var said []string
	for _, s := range settings {
		said = append(said, fmt.Sprintf("%s has %s and %s for %s", s.Name, s.Data["replicas"], s.Data["level"], ownerOf(s)))
	}
	for _, d := range deployments {
		said = append(said, d.Name+" has the status "+d.Annotations[statusKey])
	}
	slices.Sort(said)
	return said, nil
}
