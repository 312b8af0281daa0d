// Package v1 has two kinds of its own, one with namespaces and one without, for tests of
// factories that k8s.io/code-generator v0.37.2 has generated. The packages below generated
// are as it wrote them; package informers has the file of thinformer-factory.
//
// +k8s:deepcopy-gen=package
// +groupName=shop.example.com
package v1

//go:generate go run k8s.io/code-generator/cmd/deepcopy-gen@v0.37.2 --go-header-file ../../../header.txt --output-file deepcopy.go .
//go:generate go run k8s.io/code-generator/cmd/client-gen@v0.37.2 --go-header-file ../../../header.txt --clientset-name versioned --input-base "" --input github.com/thinformer/thinformer/interop/testdata/widgets/apis/shop/v1 --output-pkg github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset --output-dir ../../../generated/clientset
//go:generate go run k8s.io/code-generator/cmd/lister-gen@v0.37.2 --go-header-file ../../../header.txt --output-pkg github.com/thinformer/thinformer/interop/testdata/widgets/generated/listers --output-dir ../../../generated/listers .
//go:generate go run k8s.io/code-generator/cmd/informer-gen@v0.37.2 --go-header-file ../../../header.txt --versioned-clientset-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned --listers-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/listers --output-pkg github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers --output-dir ../../../generated/informers .
//go:generate go run -C ../../../../../../cmd/thinformer-migrate ./thinformer-factory -o ../../interop/testdata/widgets/informers/factory.go github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions
//go:generate go run k8s.io/code-generator/cmd/informer-gen@v0.35.6 --go-header-file ../../../header.txt --versioned-clientset-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned --listers-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/listers --output-pkg github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers035 --output-dir ../../../generated/informers035 .
//go:generate go run -C ../../../../../../cmd/thinformer-migrate ./thinformer-factory -o ../../interop/testdata/widgets/informers035/factory.go github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers035/externalversions
//go:generate go run k8s.io/code-generator/cmd/informer-gen@v0.36.2 --go-header-file ../../../header.txt --versioned-clientset-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned --listers-package github.com/thinformer/thinformer/interop/testdata/widgets/generated/listers --output-pkg github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers036 --output-dir ../../../generated/informers036 .
//go:generate go run -C ../../../../../../cmd/thinformer-migrate ./thinformer-factory -o ../../interop/testdata/widgets/informers036/factory.go github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers036/externalversions
