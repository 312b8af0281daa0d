package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// users acts as the users of the cluster, which write pods.
type users struct {
	ctx       context.Context
	namespace string
	pods      typedcorev1.PodInterface
	recorder  *steps.Recorder
}

// newUsers creates a namespace with two pods that the controller selects and one that it
// does not.
func newUsers(ctx context.Context, clientset kubernetes.Interface, recorder *steps.Recorder) (*users, error) {
	namespace, err := clientset.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "workqueue-"},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	u := &users{ctx: ctx, namespace: namespace.Name, pods: clientset.CoreV1().Pods(namespace.Name), recorder: recorder}
	for _, name := range []string{"web", "db", "hidden"} {
		if err := u.create(name, "1")(); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// play creates, changes and deletes pods.
func (u *users) play() error {
	for _, step := range []struct {
		title string
		do    func() error
		want  []string
	}{
		{"initial objects", func() error { return nil }, []string{
			"web is at revision 1, in a team of 2", "db is at revision 1, in a team of 2", "remembered does not exist anymore",
		}},
		{"web is updated", u.label("web", "2"), []string{"web is at revision 2, in a team of 2"}},
		{"a hidden pod is updated, then db", u.both(u.label("hidden", "2"), u.label("db", "2")), []string{
			"db is at revision 2, in a team of 2",
		}},
		{"a pod is added", u.create("cron", "1"), []string{"cron is at revision 1, in a team of 3"}},
		{"web gets a bad revision", u.label("web", "bad"), []string{
			"retry 1: web has a bad revision", "retry 2: web has a bad revision", "retry 3: web has a bad revision",
			"retry 4: web has a bad revision", "retry 5: web has a bad revision", "give up: web has a bad revision",
		}},
		{"web gets a good revision", u.label("web", "3"), []string{"web is at revision 3, in a team of 3"}},
		{"db is deleted", u.delete("db"), []string{"db does not exist anymore"}},
		{"db is created again", u.create("db", "7"), []string{"db is at revision 7, in a team of 3"}},
		{"all are deleted", u.both(u.delete("web"), u.both(u.delete("db"), u.delete("cron"))), []string{
			"web does not exist anymore", "db does not exist anymore", "cron does not exist anymore",
		}},
	} {
		if err := u.recorder.Step(step.title, step.do, step.want...); err != nil {
			return err
		}
	}
	return u.recorder.Step("the end", u.delete("hidden"))
}

func (u *users) create(name, revision string) func() error {
	return func() error {
		_, err := u.pods.Create(u.ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": "shop", "revision": revision}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/" + name}}},
		}, metav1.CreateOptions{})
		return err
	}
}

func (u *users) label(name, revision string) func() error {
	patch := []byte(`{"metadata":{"labels":{"revision":"` + revision + `"}}}`)
	return func() error {
		_, err := u.pods.Patch(u.ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

func (u *users) delete(name string) func() error {
	return func() error { return u.pods.Delete(u.ctx, name, metav1.DeleteOptions{}) }
}

func (u *users) both(first, second func() error) func() error {
	return func() error {
		if err := first(); err != nil {
			return err
		}
		return second()
	}
}
