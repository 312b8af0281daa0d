// Command floor is a floor: an HTTP client, the metadata of apimachinery, and the
// libraries that every client of an API server links: json-iterator, yaml, rate.
package main

import (
	"context"
	"io"
	"net/http"

	jsoniter "github.com/json-iterator/go"
	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/bench/size/idle"
)

func main() {
	_, address := idle.Now()
	idle.Check(rate.NewLimiter(1, 1).Wait(context.Background()))
	resp, err := http.Get(address)
	idle.Check(err)
	data, err := io.ReadAll(resp.Body)
	idle.Check(err)
	var object metav1.PartialObjectMetadata
	idle.Check(jsoniter.Unmarshal(data, &object))
	idle.Check(yaml.Unmarshal(data, &object))
}
