package apitest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

var configMaps = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}

func TestServerIsReachedInEachWay(t *testing.T) {
	for name, options := range map[string]Options{
		"with TLS": {}, "plain": {Plain: true}, "in memory": {InMemory: true},
	} {
		t.Run(name, func(t *testing.T) {
			options.Resources = []Resource{{ResourceInfo: configMaps}}
			srv := NewServer(options)
			defer srv.Close()
			client, err := rest.New(srv.Config())
			require.NoError(t, err)
			defer client.Close()
			_, err = rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("default").Get(context.Background(), "absent", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}
