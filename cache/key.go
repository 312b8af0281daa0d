package cache

import (
	"fmt"
	"strings"
)

// KeyFunc makes the key of an object: equal keys mean the same object.
type KeyFunc func(obj any) (string, error)

// ExplicitKey is a key that passes for an object, where only the key is known.
type ExplicitKey string

// MetaNamespaceKeyFunc makes the key "namespace/name" of an object that has
// metadata, or "name" if it has no namespace. An ExplicitKey is its own.
func MetaNamespaceKeyFunc(obj any) (string, error) {
	if key, ok := obj.(ExplicitKey); ok {
		return string(key), nil
	}
	name, err := ObjectToName(obj)
	if err != nil {
		return "", err
	}
	return name.String(), nil
}

// DeletionHandlingMetaNamespaceKeyFunc is MetaNamespaceKeyFunc for what a
// handler's OnDelete is given: the key of a tombstone is the one that it carries.
func DeletionHandlingMetaNamespaceKeyFunc(obj any) (string, error) {
	if tombstone, ok := tombstoneOf(obj); ok {
		return tombstone.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// SplitMetaNamespaceKey is the inverse of MetaNamespaceKeyFunc. A key without a
// "/" has no namespace; one with two is an error.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	before, after, found := strings.Cut(key, "/")
	if !found {
		return "", before, nil
	}
	if strings.Contains(after, "/") {
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	}
	return before, after, nil
}
