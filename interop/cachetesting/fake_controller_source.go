package framework

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	framework "github.com/thinformer/thinformer/cache/testing"
)

// FakeControllerSource is that of package cache/testing.
type FakeControllerSource = framework.FakeControllerSource

// NewFakeControllerSource returns a source without objects.
func NewFakeControllerSource() *FakeControllerSource { return framework.NewFakeControllerSource() }

// FakePVControllerSource is a FakeControllerSource of PersistentVolumes.
type FakePVControllerSource struct {
	FakeControllerSource
}

// NewFakePVControllerSource returns a source without volumes.
func NewFakePVControllerSource() *FakePVControllerSource {
	source, made := &FakePVControllerSource{}, framework.NewFakeControllerSource()
	source.Items, source.Broadcaster = made.Items, made.Broadcaster
	return source
}

// List returns a PersistentVolumeList. It ignores the options.
func (f *FakePVControllerSource) List(options metav1.ListOptions) (runtime.Object, error) {
	return fill(&corev1.PersistentVolumeList{}, &f.FakeControllerSource, options)
}

// FakePVCControllerSource is a FakeControllerSource of PersistentVolumeClaims.
type FakePVCControllerSource struct {
	FakeControllerSource
}

// NewFakePVCControllerSource returns a source without claims.
func NewFakePVCControllerSource() *FakePVCControllerSource {
	source, made := &FakePVCControllerSource{}, framework.NewFakeControllerSource()
	source.Items, source.Broadcaster = made.Items, made.Broadcaster
	return source
}

// List returns a PersistentVolumeClaimList. It ignores the options.
func (f *FakePVCControllerSource) List(options metav1.ListOptions) (runtime.Object, error) {
	return fill(&corev1.PersistentVolumeClaimList{}, &f.FakeControllerSource, options)
}

// list is a typed list.
type list interface {
	runtime.Object
	metav1.ListInterface
}

// fill returns the typed list with the objects of a source.
func fill(typed list, source *FakeControllerSource, options metav1.ListOptions) (runtime.Object, error) {
	untyped, err := source.List(options)
	if err != nil {
		return nil, err
	}
	objects, err := meta.ExtractList(untyped)
	if err != nil {
		return nil, fmt.Errorf("listing the objects of the source: %w", err)
	}
	if err := meta.SetList(typed, objects); err != nil {
		return nil, fmt.Errorf("listing the objects of the source as a %T: %w", typed, err)
	}
	typed.SetResourceVersion(untyped.(metav1.ListInterface).GetResourceVersion())
	return typed, nil
}
