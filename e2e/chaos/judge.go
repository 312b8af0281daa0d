package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// verify waits until the end state of both programs is correct, and prints the time that
// this took. It returns an error if this library's is not.
func (s *experiment) verify(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%d writes to items\n", s.writes.Load())
	var failed error
	start := time.Now()
	for i, name := range sides {
		var wrong []string
		err := eventually(ctx, currentTimeout, func() bool {
			var err error
			if wrong, err = s.wrongWith(ctx, i); err != nil {
				wrong = []string{err.Error()}
			}
			return len(wrong) == 0
		})
		if err == nil {
			fmt.Fprintf(out, "%s: correct %v after the last write\n", name, time.Since(start).Round(10*time.Millisecond))
			continue
		}
		fmt.Fprintf(out, "%s: WRONG after %v:\n\t%s\n", name, currentTimeout, strings.Join(wrong, "\n\t"))
		if i == 0 {
			failed = errors.New("the end state of the program on this library is wrong")
		}
	}
	return failed
}

// wrongWith returns the differences between the state of a program and the correct state.
func (s *experiment) wrongWith(ctx context.Context, side int) (wrong []string, err error) {
	want, err := s.listed(ctx, roleLabel+"="+roleItem)
	if err != nil {
		return nil, err
	}
	have, err := s.listed(ctx, roleLabel+"="+sides[side])
	if err != nil {
		return nil, err
	}
	wrong = wrongChildren(sides[side], want, have)
	for i := range s.informers {
		on, err := s.listed(ctx, selector(sides[side], i))
		if err != nil {
			return nil, err
		}
		for _, difference := range differences(s.programs[side].stored(i), on) {
			wrong = append(wrong, fmt.Sprintf("informer %d: %s", i, difference))
		}
	}
	return wrong, nil
}

// differences returns the differences between the store of an informer, as versions by name,
// and a list of the server.
func differences(stored map[string]string, listed map[string]*corev1.ConfigMap) (all []string) {
	for name, obj := range listed {
		if has := stored[name]; has == "" {
			all = append(all, fmt.Sprintf("lacks %s, which is at version %s", name, obj.ResourceVersion))
		} else if has != obj.ResourceVersion {
			all = append(all, fmt.Sprintf("has %s at version %s, want %s", name, has, obj.ResourceVersion))
		}
	}
	for name := range stored {
		if listed[name] == nil {
			all = append(all, fmt.Sprintf("has %s, which is deleted", name))
		}
	}
	slices.Sort(all)
	return all
}

// wrongChildren compares the children of a program with the items.
func wrongChildren(program string, items, children map[string]*corev1.ConfigMap) (wrong []string) {
	for name, item := range items {
		child := children[program+"-"+name]
		if child == nil {
			wrong = append(wrong, name+" has no child")
		} else if got, want := child.Data["number"], item.Data["number"]; got != want {
			wrong = append(wrong, fmt.Sprintf("the child of %s has %s, want %s", name, got, want))
		}
	}
	for name, child := range children {
		if items[child.Data["of"]] == nil {
			wrong = append(wrong, name+" has no item")
		}
	}
	slices.Sort(wrong)
	return wrong
}

func (s *experiment) listed(ctx context.Context, selector string) (map[string]*corev1.ConfigMap, error) {
	list, err := s.maps.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	all := map[string]*corev1.ConfigMap{}
	for obj, err := range list.Items() {
		if err != nil {
			return nil, err
		}
		all[obj.Name] = obj
	}
	return all, nil
}
