package dynamicinformer

import "k8s.io/client-go/dynamic/dynamicinformer"

// DynamicSharedInformerFactory is client-go's interface.
type DynamicSharedInformerFactory = dynamicinformer.DynamicSharedInformerFactory

// TweakListOptionsFunc is client-go's type.
type TweakListOptionsFunc = dynamicinformer.TweakListOptionsFunc
