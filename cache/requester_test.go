package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// What is misspelt can be read in the error, and the error is still what it was.
func TestAnErrorNamesTheResource(t *testing.T) {
	_, client := serverWithClient(t)
	lw := NewListWatchFromClient(client, "podz", "shop", fields.Everything())
	send := func() error {
		_, err := lw.sender()(t.Context(), metav1.ListOptions{}, "application/json")
		return err
	}
	list := func() error { _, err := lw.List(metav1.ListOptions{}); return err }
	watch := func() error { _, err := lw.Watch(metav1.ListOptions{}); return err }
	for name, ask := range map[string]func() error{"send": send, "list": list, "watch": watch} {
		err := ask()
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), "podz", name)
		assert.True(t, apierrors.IsNotFound(err), "%s: %v", name, err)
	}
}
