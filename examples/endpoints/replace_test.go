package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func only(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "something is left behind")
	require.Equal(t, name, entries[0].Name())
}

// A file with the right content is not written, so programs that watch it see no
// change. Otherwise it is replaced, and no other file remains.
func TestReplaceWritesOnlyWhatChanges(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "upstreams.conf")
	stat := func() fs.FileInfo {
		info, err := os.Stat(name)
		require.NoError(t, err)
		return info
	}
	replaced, err := replace(name, []byte("one"))
	require.NoError(t, err)
	require.True(t, replaced)
	first := stat()
	require.Equal(t, fs.FileMode(0o644), first.Mode())

	replaced, err = replace(name, []byte("one"))
	require.NoError(t, err)
	require.False(t, replaced)
	require.True(t, os.SameFile(first, stat()))
	require.Equal(t, first.ModTime(), stat().ModTime())

	replaced, err = replace(name, []byte("two"))
	require.NoError(t, err)
	require.True(t, replaced)
	require.False(t, os.SameFile(first, stat()), "it was written in place")
	only(t, dir, "upstreams.conf")
}

// Readers see one of the contents, never a part of one.
func TestReplaceIsAtomic(t *testing.T) {
	name := filepath.Join(t.TempDir(), "upstreams.conf")
	texts := [][]byte{bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 1<<19)}
	_, err := replace(name, texts[0])
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		defer close(done)
		for i := range 20 {
			if _, err := replace(name, texts[(i+1)%2]); err != nil {
				done <- err
				return
			}
		}
	}()
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			return
		default:
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, texts[0]) || bytes.Equal(text, texts[1]), "a file of %d bytes", len(text))
	}
}

// Permissions are kept, and a link still refers to the file.
func TestReplaceKeepsPermissionsAndLinks(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	target := filepath.Join(elsewhere, "target")
	require.NoError(t, os.WriteFile(target, []byte("one"), 0o600))
	link := filepath.Join(dir, "upstreams.conf")
	require.NoError(t, os.Symlink(target, link))
	_, err := replace(link, []byte("two"))
	require.NoError(t, err)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "two", string(text))
	info, err = os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	only(t, dir, "upstreams.conf")
	only(t, elsewhere, "target")
}

// Errors name the file, and no other file remains.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "upstreams.conf")
	require.NoError(t, os.Mkdir(name, 0o755))
	_, err := replace(name, []byte("one"))
	require.ErrorContains(t, err, "replace "+name+": ")
	only(t, dir, "upstreams.conf")

	_, err = replace(filepath.Join(dir, "absent", "upstreams.conf"), []byte("one"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
