// Command metav1 is a floor: an HTTP client and the metadata of apimachinery.
package main

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/bench/size/idle"
)

func main() {
	_, address := idle.Now()
	resp, err := http.Get(address)
	idle.Check(err)
	var object metav1.PartialObjectMetadata
	idle.Check(json.NewDecoder(resp.Body).Decode(&object))
}
