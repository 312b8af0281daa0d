package factory

import "go/types"

// generated is what the file needs to know about a generated factory.
type generated struct {
	path      string       // import path of its package
	clientset *types.Named // the interface of the clientset
	newFunc   *types.Named // NewInformerFunc
	tweakFunc *types.Named // TweakListOptionsFunc
	named     bool         // it has WithInformerName, as of code-generator 0.36
	groups    []group
}

// group is a group accessor of the factory.
type group struct {
	accessor string // Apps
	result   *types.Named
	kinds    []kind
}

// kind is one of the informers.
type kind struct {
	group, version, accessor string       // Apps, V1, Deployments
	object, list             *types.Named // the structs
	resource                 resource
	namespaced               bool
}

// resource is the expression of a resource: SchemeGroupVersion of a package, and a name.
type resource struct{ apiPath, apiName, name string }
