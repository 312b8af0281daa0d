package dynamicinformer

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// NewClientForConfig returns client-go's dynamic client. For informers of this package it
// is better than that of dynamic.NewForConfig: this module decodes the responses while they
// arrive. This is not so for a wrapper of the client, whose own methods are called.
func NewClientForConfig(config *rest.Config) (dynamic.Interface, error) {
	c := dynamic.ConfigFor(config)
	c.GroupVersion = &schema.GroupVersion{Version: "v1"} // of the options of lists and watches
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create a dynamic client: %w", err)
	}
	return &directClient{dynamic.New(client), client}, nil
}

type directClient struct {
	*dynamic.DynamicClient
	reader *rest.RESTClient
}
