package objects

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// epoch is the creation time of the corpus.
var epoch = time.Date(2026, time.March, 1, 8, 30, 0, 0, time.UTC)

func at(after time.Duration) metav1.Time       { return metav1.NewTime(epoch.Add(after)) }
func pointAt(after time.Duration) *metav1.Time { t := at(after); return &t }

func microAt(after time.Duration) metav1.MicroTime {
	return metav1.NewMicroTime(epoch.Add(after + 123456*time.Microsecond))
}

// UID returns a UID that is determined by the words and looks random.
func UID(words ...string) types.UID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", words))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

// digest returns a SHA-256 in hexadecimal, as for an image.
func digest(words ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", words)))
}

// version returns a resource version that is determined by the words.
func version(words ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", words))
	return strconv.Itoa(100_000_000 + int(sum[0])<<16 + int(sum[1])<<8 + int(sum[2]))
}

// meta returns the metadata of an object that has existed for a while.
func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              name,
		Namespace:         namespace,
		UID:               UID(namespace, name),
		ResourceVersion:   version(namespace, name),
		CreationTimestamp: at(0),
		Labels: map[string]string{
			"app.kubernetes.io/name":       name,
			"app.kubernetes.io/managed-by": "Helm",
			"team":                         "shop",
		},
		Annotations: map[string]string{
			"meta.helm.sh/release-name":      "shop",
			"meta.helm.sh/release-namespace": "shop",
		},
	}
}

// owned is meta with a controller as the owner.
func owned(namespace, name, apiVersion, kind, owner string) metav1.ObjectMeta {
	yes := true
	m := meta(namespace, name)
	m.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: apiVersion, Kind: kind, Name: owner, UID: UID(namespace, owner), Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	return m
}

func point[T any](v T) *T { return &v }
