package metadatainformer

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// NewClientForConfig returns client-go's metadata client. For informers of this package it
// is better than that of metadata.NewForConfig: this module decodes the responses while they
// arrive. This is not so for a wrapper of the client, whose own methods are called.
func NewClientForConfig(config *rest.Config) (metadata.Interface, error) {
	c := metadata.ConfigFor(config)
	c.GroupVersion = &schema.GroupVersion{Version: "v1"} // of the options of lists and watches
	c.RateLimiter = rateLimiterOf(config)
	transport, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("create a metadata client: %w", err)
	}
	// The metadata client does not share its REST client, so the informers have another one
	// with the same connections and the same rate limiter.
	client, err := metadata.NewForConfigAndClient(c, transport)
	if err != nil {
		return nil, fmt.Errorf("create a metadata client: %w", err)
	}
	reader, err := rest.UnversionedRESTClientForConfigAndClient(c, transport)
	if err != nil {
		return nil, fmt.Errorf("create a metadata client: %w", err)
	}
	return &directClient{client, reader}, nil
}

// rateLimiterOf returns the rate limiter that client-go creates for a client.
func rateLimiterOf(config *rest.Config) flowcontrol.RateLimiter {
	qps, burst := config.QPS, config.Burst
	if qps == 0 {
		qps = rest.DefaultQPS
	}
	if burst == 0 {
		burst = rest.DefaultBurst
	}
	if config.RateLimiter != nil || qps < 0 {
		return config.RateLimiter
	}
	return flowcontrol.NewTokenBucketRateLimiter(qps, burst)
}

type directClient struct {
	metadata.Interface
	reader *rest.RESTClient
}
