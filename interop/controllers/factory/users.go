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

	"github.com/thinformer/thinformer/interop/controllers/story"
)

// users are those who write deployments, and some who meddle with settings.
type users struct {
	ctx         context.Context
	namespace   string
	deployments typedappsv1.DeploymentInterface
	settings    typedcorev1.ConfigMapInterface
	story       *story.Story
}

// newUsers have a namespace of their own, with one deployment.
func newUsers(ctx context.Context, client kubernetes.Interface, story *story.Story) (*users, error) {
	namespace, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "factory-"},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	u := &users{
		ctx: ctx, namespace: namespace.Name, story: story,
		deployments: client.AppsV1().Deployments(namespace.Name), settings: client.CoreV1().ConfigMaps(namespace.Name),
	}
	return u, u.create("web", 1)()
}

// play goes through the life of some deployments, and looks at the end at what
// the controller's listers say.
func (u *users) play(c *controller) error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"what is there at the beginning", func() error { return nil }, []string{"web: created web-settings", "web: 1 replicas"}},
		{"web is scaled", u.scale("web", 3), []string{"web: wrote web-settings", "web: 3 replicas"}},
		{"somebody meddles with its settings", u.meddle("web-settings"), []string{"web: wrote web-settings"}},
		{"somebody deletes its settings", u.forget("web-settings"), []string{"web: created web-settings"}},
		{"somebody has settings of another name", u.occupy("db-settings"), nil},
		{"which db would need", u.create("db", 2), []string{"db: db-settings belongs to somebody else"}},
		{"they are given up", u.forget("db-settings"), []string{"db: created db-settings", "db: 2 replicas"}},
		{"web goes", u.delete("web"), []string{"web is gone"}},
		{"its settings stay, as nobody collects garbage", u.meddle("web-settings"), nil},
		{"web comes back and has to wait for them", u.create("web", 5), []string{"web: web-settings belongs to somebody else"}},
		{"until they go", u.forget("web-settings"), []string{"web: created web-settings", "web: 5 replicas"}},
	} {
		if err := u.story.Step(step.title, step.do, step.want...); err != nil {
			return err
		}
	}
	lists := []string{"db says 2 replicas", "db-settings has 2 for db", "web says 5 replicas", "web-settings has 5 for web"}
	if err := u.story.Step("what the listers say", u.list(c, lists...), lists...); err != nil {
		return err
	}
	return u.story.Step("all go", func() error {
		return errors.Join(u.delete("web")(), u.delete("db")(), u.forget("web-settings")(), u.forget("db-settings")())
	}, "web is gone", "db is gone")
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

func (u *users) meddle(settings string) func() error {
	return func() error {
		_, err := u.settings.Patch(u.ctx, settings, types.MergePatchType, []byte(`{"data":{"replicas":"1000"}}`), metav1.PatchOptions{})
		return err
	}
}

func (u *users) occupy(settings string) func() error {
	return func() error {
		_, err := u.settings.Create(u.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: settings}}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) delete(name string) func() error {
	return func() error { return u.deployments.Delete(u.ctx, name, metav1.DeleteOptions{}) }
}

func (u *users) forget(settings string) func() error {
	return func() error { return u.settings.Delete(u.ctx, settings, metav1.DeleteOptions{}) }
}

// list waits until the controller's listers say what they are to say, as what it
// has just written may not have come back to them yet, and writes it down.
func (u *users) list(c *controller, want ...string) func() error {
	return func() error {
		var said []string
		err := wait.PollUntilContextTimeout(u.ctx, 10*time.Millisecond, 10*time.Second, true, func(context.Context) (done bool, err error) {
			said, err = u.listed(c)
			return slices.Equal(said, want), err
		})
		for _, line := range said {
			u.story.Say("%s", line)
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
		said = append(said, fmt.Sprintf("%s has %s for %s", s.Name, s.Data["replicas"], ownerOf(s)))
	}
	for _, d := range deployments {
		said = append(said, d.Name+" says "+d.Annotations[statusKey])
	}
	slices.Sort(said)
	return said, nil
}
