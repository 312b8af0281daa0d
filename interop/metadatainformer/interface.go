package metadatainformer

import "k8s.io/client-go/metadata/metadatainformer"

// SharedInformerFactory is client-go's interface.
type SharedInformerFactory = metadatainformer.SharedInformerFactory

// TweakListOptionsFunc is client-go's type.
type TweakListOptionsFunc = metadatainformer.TweakListOptionsFunc
