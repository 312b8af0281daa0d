package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	namespace = "chaos"
	// roleLabel is the label with the role of a config map: an item, the beat, or the name
	// of a program for its children.
	roleLabel = "role"
	roleItem  = "item"
	roleBeat  = "beat"

	beatName = "beat"
	workers  = 4
)

// The first two informers of a program belong to its controller.
const (
	items = iota
	children
)

// selector returns the selector of an informer. All select the beat. All are different, so
// that no informer is shared.
func selector(program string, informer int) string {
	if informer == children {
		return fmt.Sprintf("%s in (%s, %s)", roleLabel, program, roleBeat)
	}
	return fmt.Sprintf("%s in (%s, %s),informer != i%d", roleLabel, roleItem, roleBeat, informer)
}

// beatOf returns the number in the beat, and reports whether obj is the beat.
func beatOf(obj *corev1.ConfigMap) (number int, ok bool) {
	if obj.Name != beatName {
		return 0, false
	}
	number, err := strconv.Atoi(obj.Data["number"])
	return number, err == nil
}

func newBeat(number int) *corev1.ConfigMap {
	return newMap(beatName, roleBeat, map[string]string{"number": strconv.Itoa(number)})
}

func newMap(name, role string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{roleLabel: role}},
		Data:       data,
	}
}

// step is the write of a reconcile.
type step struct {
	create, update *corev1.ConfigMap
	remove         string
}

// decide returns the write that the child of an item needs. Both programs use it.
func decide(program, name string, item, child *corev1.ConfigMap) step {
	switch {
	case name == "" || name == beatName, item == nil && child == nil:
		return step{}
	case item == nil:
		return step{remove: child.Name}
	case child == nil:
		return step{create: newMap(program+"-"+name, program, map[string]string{"of": name, "number": item.Data["number"]})}
	case child.Data["number"] == item.Data["number"]:
		return step{}
	}
	child = child.DeepCopy() // objects of an informer are shared
	child.Data["number"] = item.Data["number"]
	return step{update: child}
}

// do writes with the methods of either client.
func (s step) do(ctx context.Context,
	create func(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error),
	update func(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error),
	remove func(context.Context, string, metav1.DeleteOptions) error,
) (err error) {
	switch {
	case s.create != nil:
		_, err = create(ctx, s.create, metav1.CreateOptions{})
	case s.update != nil:
		_, err = update(ctx, s.update, metav1.UpdateOptions{})
	case s.remove != "":
		err = remove(ctx, s.remove, metav1.DeleteOptions{})
	}
	return err
}
