package factory

import (
	"errors"
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// The methods of a SharedInformerFactory that are not accessors of a group.
var engineMethods = []string{
	"ForResource", "InformerFor", "InformerName", "Shutdown", "Start", "StartWithContext",
	"WaitForCacheSync", "WaitForCacheSyncWithContext",
}

// readFactory reads the types of a generated factory. Its errors say what is missing.
func readFactory(loaded *packages.Package) (*generated, error) {
	scope := loaded.Types.Scope()
	read := &generated{path: loaded.PkgPath, named: scope.Lookup("WithInformerName") != nil}
	for _, name := range []string{"SharedInformerFactory", "GenericInformer", "SharedInformerOption"} {
		if _, ok := scope.Lookup(name).(*types.TypeName); !ok {
			return nil, fmt.Errorf("it has no type %s; give the import path of the package that informer-gen writes, with NewSharedInformerFactory", name)
		}
	}
	var err error
	if read.clientset, err = parameterOf(scope, "NewSharedInformerFactory", 2, 0); err != nil {
		return nil, err
	}
	if read.tweakFunc, err = parameterOf(scope, "WithTweakListOptions", 1, 0); err != nil {
		return nil, err
	}
	methods := types.NewMethodSet(scope.Lookup("SharedInformerFactory").Type())
	resources, err := resourcesOf(loaded)
	if err != nil {
		return nil, err
	}
	informers := 0
	for method := range methods.Methods() {
		name := method.Obj().Name()
		signature := method.Obj().Type().(*types.Signature)
		if name == "InformerFor" {
			if signature.Params().Len() == 2 {
				read.newFunc = named(signature.Params().At(1).Type())
			}
			continue
		}
		if slices.Contains(engineMethods, name) {
			continue
		}
		found, err := readGroup(name, signature, methodOf(read.clientset), resources)
		if err != nil {
			return nil, fmt.Errorf("%s(): %w", name, err)
		}
		read.groups = append(read.groups, group{accessor: name, result: accessorResult(signature), kinds: found})
		informers += len(found)
	}
	if read.newFunc == nil {
		return nil, errors.New("its SharedInformerFactory has no InformerFor(obj, newFunc)")
	}
	if _, ok := read.newFunc.Obj().Pkg().Scope().Lookup("SharedInformerFactory").(*types.TypeName); !ok {
		return nil, fmt.Errorf("%s has no type SharedInformerFactory, which informer-gen writes beside %s", read.newFunc.Obj().Pkg().Path(), read.newFunc.Obj().Name())
	}
	if informers == 0 {
		return nil, errors.New("it has no informers")
	}
	return read, nil
}

// readGroup returns the kinds of a group's accessor: those of each of its versions.
func readGroup(name string, accessor *types.Signature, typed lookup, resources map[[3]string]resource) (kinds []kind, err error) {
	result := accessorResult(accessor)
	if result == nil {
		return nil, errors.New("the method is none that informer-gen 0.35 to 0.37 writes")
	}
	if _, ok := result.Obj().Pkg().Scope().Lookup("New").(*types.Func); !ok {
		return nil, fmt.Errorf("%s has no function New", result.Obj().Pkg().Path())
	}
	for version, signature := range methodOf(result).all() {
		result := accessorResult(signature)
		if result == nil {
			return nil, fmt.Errorf("%s() is not the accessor of a version", version)
		}
		for accessor, signature := range methodOf(result).all() {
			found, err := readKind(kind{group: name, version: version, accessor: accessor}, signature, typed)
			if err != nil {
				return nil, fmt.Errorf("%s().%s(): %w", version, accessor, err)
			}
			known := false
			if found.resource, known = resources[[3]string{name, version, accessor}]; !known {
				return nil, fmt.Errorf("%s().%s(): ForResource has no case for it", version, accessor)
			}
			kinds = append(kinds, found)
		}
	}
	return kinds, nil
}

// readKind adds the types of a kind: the objects of its lister, and the list of its client.
func readKind(k kind, accessor *types.Signature, clientset lookup) (kind, error) {
	informer := accessorResult(accessor)
	if informer == nil {
		return k, errors.New("it is not the accessor of an informer")
	}
	lister := accessorResult(methodOf(informer)["Lister"])
	if lister == nil {
		return k, fmt.Errorf("%s has no Lister", informer.Obj().Name())
	}
	if k.object = listedBy(methodOf(lister)["List"]); k.object == nil {
		return k, fmt.Errorf("the List of %s does not return pointers to a type", lister.Obj().Name())
	}
	client := accessorResult(clientset[k.group+k.version])
	if client == nil {
		return k, fmt.Errorf("the clientset has no %s%s()", k.group, k.version)
	}
	open := methodOf(client)[k.accessor]
	if open == nil || open.Results().Len() != 1 || open.Params().Len() > 1 {
		return k, fmt.Errorf("the client %s%s has no %s(), with or without a namespace", k.group, k.version, k.accessor)
	}
	k.namespaced = open.Params().Len() == 1
	typed := named(open.Results().At(0).Type())
	if typed == nil {
		return k, fmt.Errorf("the client %s%s().%s() is not of a named type", k.group, k.version, k.accessor)
	}
	list := methodOf(typed)["List"]
	if list == nil || methodOf(typed)["Watch"] == nil || list.Results().Len() != 2 {
		return k, fmt.Errorf("the client %s%s().%s() cannot list and watch", k.group, k.version, k.accessor)
	}
	if k.list = pointedTo(list.Results().At(0).Type()); k.list == nil {
		return k, fmt.Errorf("the list of %s%s().%s() is not a pointer to a type", k.group, k.version, k.accessor)
	}
	return k, nil
}
