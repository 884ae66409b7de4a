/** Git and the programs around it. */
export const GIT = `
$FORMAT /^(?!.*%(?:G|\\(signature))/
$DIFF -# -pusazbwRDWmc1230 -BMCX=? -UlSGI= --unified= --raw --patch --no-patch --patch-with-raw --patch-with-stat --indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= --stat=? --compact-summary --numstat --shortstat --dirstat=? --cumulative --summary --name-only --name-status --submodule=? --color=? --no-color --color-moved=? --no-color-moved --color-moved-ws= --word-diff=? --word-diff-regex= --color-words=? --no-renames --renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev=? --no-abbrev --break-rewrites=? --find-renames=? --find-copies=? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all --pickaxe-regex --skip-to= --rotate-to= --relative=? --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules=? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --ita-visible-in-index --output-indicator-new= --output-indicator-old= --output-indicator-context= --merge-base --cached --staged --no-index --theirs --ours --base --cc --combined-all-paths --diff-merges= --no-diff-merges --remerge-diff --dd -O=! --output=W --ext-diff! --textconv!
$LOG -igEFP -n= --oneline --graph --no-graph --all --branches=? --tags=? --remotes=? --glob= --exclude= --exclude-hidden= --reflog --since= --since-as-filter= --until= --after= --before= --author= --committer= --grep= --grep-reflog= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --basic-regexp --merges --no-merges --first-parent --min-parents= --max-parents= --no-min-parents --no-max-parents --max-count= --skip= --pretty=$FORMAT? --format=$FORMAT --abbrev-commit --no-abbrev-commit --date= --decorate=? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --follow --full-diff --reverse --topo-order --date-order --author-date-order --parents --children --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --simplify-merges --ancestry-path=? --full-history --dense --sparse --show-pulls --walk-reflogs --no-walk=? --do-walk --notes=? --no-notes --show-notes=? --relative-date --log-size --mailmap --use-mailmap --no-mailmap --no-use-mailmap -L=g --encoding= --expand-tabs=? --no-expand-tabs --not --ignore-missing --objects --count --timestamp --header --bisect --remove-empty --show-linear-break=? -t -r
$REMOTE /^(?!ext::|fd::)/*
git: / -P -C=d -p! -c=y -v -h --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --version --html-path --man-path --info-path --paginate! --help! --config-env=y --exec-path=!? --git-dir=! --work-tree=! --namespace=! --super-prefix=! --attr-source=!
git *: $REMOTE --help! --output=W --open-files-in-pager!=? --ext-diff! --textconv! --upload-pack=x --receive-pack=x --exec=x --extcmd=x --template=! --separate-git-dir=! --output-directory=W --sendmail-cmd=x --smtp-server=! --config=y --show-signature! --filters! --contents=q --unsafe-paths! --index-output=W --index --text --filter= --exclude= --exclude-standard --only --export-marks=W --import-marks=q
git status:: g* -sbvuz --short --branch --show-stash --porcelain=? --long --verbose --untracked-files=? --ignore-submodules=? --ignored=? --column=? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames=? -u=?
git log,show,whatchanged:: g* $DIFF $LOG
git stash list|git stash show:: g* $DIFF $LOG
git reflog:: / $DIFF $LOG
git reflog show:: g* $DIFF $LOG
git diff,diff-tree,diff-index,diff-files:: g* $DIFF --root --stdin -t -r -q -v --no-commit-id --pretty=$FORMAT? --format=$FORMAT
git rev-list:: g* $LOG -# --disk-usage=? --use-bitmap-index --quiet --objects-edge --abbrev=? --no-commit-header --commit-header
git rev-parse:: g* -q --show-toplevel --abbrev-ref=? --short=? --verify --quiet --git-dir --git-common-dir --show-cdup --show-prefix --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name --all --branches=? --tags=? --remotes=? --glob= --exclude= --since= --until= --after= --before= --revs-only --no-revs --flags --no-flags --default= --prefix= --sq --not --absolute-git-dir --git-path= --show-object-format=? --show-superproject-working-tree --shared-index-path --path-format= --local-env-vars --disambiguate= --end-of-options
git ls-files:: g* -cdmoisktuvfz -x= -X=r --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --deduplicate --exclude= --exclude-from=r --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules --abbrev=? --format=$FORMAT --sparse --debug --resolve-undo
git ls-tree:: g* -drtlz --name-only --name-status --object-only --full-name --full-tree --abbrev=? --format=$FORMAT --long
git blame,annotate:: g* -bcflsetwpnkh -L= -S=r -M=? -C=? --root --show-stats --porcelain --line-porcelain --incremental --encoding= --contents=q --date= --show-name --show-number --show-email --abbrev= --color-lines --color-by-age --ignore-rev= --ignore-revs-file=r --first-parent --reverse= --progress --no-progress --score-debug --since= --minimal
git describe:: t* --dirty=? --broken=? --all --tags --contains --abbrev=? --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent
git shortlog:: t* -nsec --numbered --summary --email --format=$FORMAT --date= --group= --committer $LOG -n -w=?
git cat-file:: g* -tsepz --batch=? --batch-check=? --batch-all-objects --unordered --buffer --allow-unknown-type --path= --follow-symlinks --no-mailmap --mailmap --use-mailmap --textconv! --filters! --batch-command!=?
git merge-base:: t* -a --all --octopus --is-ancestor --independent --fork-point
git name-rev:: t* --tags --refs= --exclude= --all --name-only --no-undefined --always --stdin --annotate-stdin
git grep:: t r*@. -aiIvwhHEGFPnlLzopqWc -# -ABCm= -e=t^ -f=q^ --cached --untracked --no-index --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --no-ignore-case --max-depth= --recursive --no-recursive -r --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color=? --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --threads= --and --or --not --all-match --quiet --max-count= -O!=x? --open-files-in-pager!=x? --textconv! --no-textconv
git for-each-ref:: t* --count= --sort= --format=$FORMAT --points-at= --contains=? --no-contains=? --merged=? --no-merged=? --ignore-case --exclude= --color=?
git show-ref:: t* -dhqs --head --heads --branches --tags --dereference --hash=? --verify --abbrev=? --quiet --exists
git branch:: -avrlqi -dDmMcCftu=G --delete=G --move=G --copy=G --force=G --track=G? --no-track=G --set-upstream-to=G --create-reflog=G -vv --all --verbose --remotes --list --show-current --column=? --no-column --sort= --format=$FORMAT --color=? --no-color --abbrev=? --no-abbrev --contains=? --no-contains=? --merged=? --no-merged=? --points-at= --ignore-case --edit-description!
git tag:: -asfd=G --annotate=G --sign=G --force=G --delete=G -v=g --verify=g --message= --cleanup= --file=q -i --ignore-case -l --list -n=? --column=? --no-column --sort= --format=$FORMAT --color=? --contains=? --no-contains=? --merged=? --no-merged=? --points-at= -mu= -F=q
git remote:: / -v --verbose
git remote get-url:: t --all --push
git remote add,set-url: $REMOTE -f -tm= --push --add --delete --tags --no-tags --mirror=? --fetch --track= --master=
git remote remove,rm,rename,prune,show,update,set-head,set-branches: t* -n -p -a -d --dry-run --prune --auto --delete --add --progress --no-progress
git worktree list:: -vz --porcelain --verbose
git worktree add: w t -bB= -fd --detach --checkout --no-checkout --lock --orphan --force --quiet -q --track --no-track --guess-remote --no-guess-remote --reason= --relative-paths --no-relative-paths
git worktree move: t w
git worktree: /
git worktree remove,prune,lock,unlock,repair: t* -fnv --force --dry-run --verbose --expire= --reason=
git stash: / -pqakuS -m= --message= --keep-index --include-untracked --all --patch --quiet --no-keep-index --staged --pathspec-from-file=q
git stash push,save: g* -pkuaqS -m= --patch --keep-index --no-keep-index --include-untracked --all --quiet --message= --staged --pathspec-from-file=q
git stash pop,apply,drop,branch,clear,create,store: t* -q --index --quiet -m= --message=
git count-objects:: -vH --verbose --human-readable
git check-ignore:: g* -qvnz --quiet --verbose --non-matching --no-index
git var: t
git version:: 
git add,stage: g* --chmod= --renormalize --refresh --ignore-errors --ignore-missing --no-ignore-removal --ignore-removal --sparse --interactive --no-all --intent-to-add --pathspec-file-nul --no-warn-embedded-repo -AnvfiupN --all --update --patch --force --verbose --dry-run --intent-to-add --pathspec-from-file=q -e! --edit!
git commit: g* --verbose --quiet --no-signoff --edit --no-gpg-sign --reset-author --short --branch --porcelain --long --null --only --include --no-post-rewrite --interactive --dry-run --status --no-status --squash= --allow-empty-message --untracked-files=? --reedit-message= --verify --no-allow-empty -u=? -aspqvneizSuo -m=t -F=d -cC= -t=L --message=t --file=d --amend --no-edit --no-verify --signoff --all --patch --author= --date= --template=L --reuse-message= --fixup= --allow-empty --gpg-sign=? --pathspec-from-file=q --trailer= --cleanup=
git checkout,switch,restore: G* -t -l -u -N --create= --force-create= --discard-changes --guess --no-guess --progress --no-progress --recurse-submodules --no-recurse-submodules --overlay --no-overlay --conflict= --ignore-skip-worktree-bits --ignore-other-worktrees --overwrite-ignore --no-track --no-detach -U= --unified= --ignore-unmerged -bBcC= -fqmdpSW2 -s= --detach --force --track=? --orphan= --source= --staged --worktree --ours --theirs --merge --patch --quiet --pathspec-from-file=q
git mv: G* -fknv --force --verbose --dry-run --sparse
git rm: G* -fnrq --dry-run --quiet --ignore-unmatch --sparse --recursive --cached --force --pathspec-from-file=q
git am: [?] r* -q3ksucip -C= -p= --directory=! --exclude= --include= --abort --continue --skip --3way --signoff --quiet --show-current-patch=? --keep --no-keep-cr --scissors --no-scissors --utf8 --message-id --no-verify --quit --retry --allow-empty --committer-date-is-author-date --ignore-date --ignore-whitespace --whitespace= --reject --gpg-sign=? --interactive --empty= --patch-format= --quoted-cr=
git reset,clean,cherry-pick,revert: t* -qfdxXneNS -p -m= -X= -s -i -U= --merge --keep --patch --quiet --no-refresh --refresh --intent-to-add --pathspec-from-file=q --force --dry-run --exclude= --interactive --edit --mainline= --signoff --allow-empty --allow-empty-message --keep-redundant-commits --empty= --rerere-autoupdate --no-rerere-autoupdate --quit --reference --gpg-sign=? --no-gpg-sign --cleanup= --ff --commit --hard --soft --mixed --no-edit --no-commit --ff-only --no-ff --squash --abort --continue --skip --message= --strategy= --strategy-option= --exec=x --file=q -F=q
git merge: t* -qvneS --commit --edit --stat --no-stat --compact-summary --log=? --no-log --quiet --verbose --progress --no-progress --allow-unrelated-histories --autostash --no-autostash --signoff --no-signoff --no-verify --verify --verify-signatures --no-squash --rerere-autoupdate --no-rerere-autoupdate --overwrite-ignore --into-name= --strategy-option= --quit --gpg-sign=? --no-gpg-sign --cleanup= -m=t -X= -s=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ --no-edit --no-commit --ff-only --no-ff --ff --squash --abort --continue --message=t --strategy=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ --file=q -F=q
git rebase: t* -ifmpqvnrkyS -C= --quit --edit-todo --show-current-patch --no-keep-empty --keep-empty --empty= --reapply-cherry-picks --no-reapply-cherry-picks --allow-empty-message --strategy-option= --rerere-autoupdate --no-rerere-autoupdate --quiet --verbose --stat --no-stat --no-verify --verify --force-rebase --no-ff --fork-point --no-fork-point --ignore-whitespace --whitespace= --committer-date-is-author-date --ignore-date --reset-author-date --signoff --no-autosquash --no-autostash --reschedule-failed-exec --update-refs --no-update-refs --merge --apply --gpg-sign=? --branch -x=x --exec=x -X= -s=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ --strategy=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ --interactive --onto= --continue --abort --skip --autostash --autosquash --root --keep-base --rebase-merges=?
git push: $REMOTE -fudnqv46 -4 -6 --quiet --verbose --verify --porcelain --atomic --no-atomic --thin --no-thin --signed=? --no-signed --no-force-with-lease --force-if-includes --no-force-if-includes --recurse-submodules= --no-recurse-submodules --progress --no-progress --ipv4 --ipv6 --branches --repo=/^(?!ext::|fd::)/ -o= --force --force-with-lease=? --set-upstream --tags --all --delete --dry-run --no-verify --follow-tags --mirror --prune --exec=x --receive-pack=x --push-option=
git fetch,pull,ls-remote: $REMOTE -apPfktnqvumrseX46 -o= -s=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ -X= --verbose --append --atomic --deepen= --shallow-since= --shallow-exclude= --update-shallow --negotiation-tip= --negotiate-only --write-fetch-head --no-write-fetch-head --keep --multiple --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --write-commit-graph --prefetch --prune-tags --refetch --refmap= --recurse-submodules=? --no-recurse-submodules --set-upstream --update-head-ok --progress --no-progress --server-option= --show-forced-updates --no-show-forced-updates --ipv4 --ipv6 --porcelain --filter= --no-autostash --commit --no-commit --edit --no-edit --ff --no-ff --squash --no-squash --stat --no-stat --log=? --no-log --strategy=/^(?:ort|recursive|resolve|octopus|ours|subtree)$/ --strategy-option= --verify --no-verify --verify-signatures --signoff --allow-unrelated-histories --cleanup= --get-url --symref --exit-code --branches --negotiation-tip= -j= -j= --all --prune --tags --no-tags --depth= --unshallow --rebase=? --ff-only --no-rebase --force --dry-run --jobs= --upload-pack=x --autostash --heads --refs --sort= --quiet
git clone: /^(?!ext::|fd::)/ w -bo= -qvnls46 --quiet --verbose --progress --no-checkout --no-single-branch --no-tags --tags --shallow-since= --shallow-exclude= --shallow-submodules --no-shallow-submodules --remote-submodules --no-remote-submodules --filter= --also-filter-submodules --sparse --origin= --local --no-local --no-hardlinks --shared --dissociate --reject-shallow --revision= --ref-format= --ipv4 --ipv6 --server-option= --recursive=? -u=x -c=y --depth= --branch= --recurse-submodules=? --single-branch --bare --mirror --upload-pack=x --template=! --config=y --separate-git-dir=! --reference=! --bundle-uri=! --jobs= -j=
git init: w -q -b= --bare --initial-branch= --template=! --separate-git-dir=! --shared=? --quiet --object-format= --ref-format=
git init-db: w!
git config:: / [h] -z --global --local --system --worktree --get --get-all --get-regexp --get-urlmatch --list -l --show-origin --show-scope --name-only --bool --int --path --type= --default= --null --includes --no-includes --add! --edit! -e! -f=! --file=! --blob=! --replace-all! --unset! --unset-all! --rename-section! --remove-section! --get-color --get-colorbool
git config get,list,get-all: t* --all --show-origin --show-names --global --local --system --regexp
git config set,unset,edit,rename-section,remove-section: y*! --append! --comment=
git config user.name,user.email,color.ui,color.diff,log.date,pull.rebase,init.defaultBranch,push.default,push.autoSetupRemote,fetch.prune,advice.detachedHead: t
git config *:: y*
git difftool,mergetool: [!] -x=x --extcmd=x -t=! --tool=! -y! --no-prompt!
git send-email,daemon,instaweb,hook,credential,remote-ext,shell,web--browse,p4,svn,cvsserver,gui,citool,maintenance,merge-index,merge-file,mergetool--lib,upload-pack,receive-pack,fast-import,update-server-info: [!] -a!
git filter-branch: y*! -f! --tree-filter=x --index-filter=x --msg-filter=x --env-filter=x --commit-filter=x --parent-filter=x --tag-name-filter=x --setup=x --prune-empty!
git filter-repo: y*! --force!
git bisect: /
git bisect start,good,bad,new,old,reset,skip,log,terms,next,visualize,view,replay,help: t* --term-good= --term-bad= --term-new= --term-old= --no-checkout --first-parent --stat --oneline
git bisect run: p
git submodule: / -q --quiet
git submodule foreach: j -q --recursive
git submodule add,update: !* --init --recursive --remote -b= --depth= -f --force --checkout --rebase --merge
git bundle: /
git bundle create: W t*
git archive: g* -lv -o=W --output=W --format= --prefix= --remote=! --exec=x --list --worktree-attributes
git format-patch: t* -# -nksvp -o=W --output-directory=W --stdout --cover-letter --signoff --numbered $DIFF
git fast-export: t* --export-marks=W --import-marks=q --all --signed-tags= --tag-of-filtered-object= --anonymize
git interpret-trailers: r* --in-place~ --trailer= --parse --only-trailers --where= --if-exists=
git mailsplit: r* -o=W -bdf=
git index-pack,unpack-objects: r* -v -o=W --stdin --fix-thin --rev-index
git checkout-index: t* -aufnq --prefix=W --stage= --temp --stdin -z
git mailinfo: W W -kbuml
git notes: / 
git notes add,append: t* -f -m=t -F=q -cC= --message=t --file=q
git apply: r* -3RpqvzN -pC= --stat --check --index --cached --reverse --directory=! --unsafe-paths! --reject --whitespace= --exclude= --include= --numstat --summary --verbose --quiet --3way --recount --inaccurate-eof --ignore-whitespace --ignore-space-change --allow-empty --no-add --apply --unidiff-zero --allow-binary-replacement --binary --intent-to-add --ours --theirs --union --build-fake-ancestor=W
git hash-object: g* -w -t= --stdin --path=
git pack-objects: w* --all
git update-index: g* --index-info --refresh --assume-unchanged --chmod= --add --remove
git symbolic-ref,update-ref: t* -dmq --short
git sparse-checkout,lfs,gc,prune,repack,fsck: t* -qdAaflvc --set --auto -n -v -q --all --aggressive --prune=? --no-prune --quiet --force --keep-largest-pack --dry-run --verbose --expire= --progress --no-progress --full --strict --lost-found! --connectivity-only --unreachable --dangling --no-dangling --cone --no-cone --no-reflogs --name-objects --stdin --window= --depth= --cruft --no-cruft -i --include= --exclude= --long --size
gh: / [h] -R= --repo= --help --version
gh browse: [!]
gh *: [o] t* --limit= -L= --state= --label= --search= --sort= --order= --key= --ref= --yaml --all --confirm --yes -f= --field= -F=f --raw-field= --json= --jq= -q= --template= -t= --web!
gh alias: /
gh alias set: [!] t y -s --shell --clobber
gh alias *: [!]
gh codespace: /
gh codespace ssh: [!] j -c= --codespace= --repo= --profile= --=j
gh codespace *: [!]
gh extension,config,auth,ssh-key,gpg-key,secret,variable: [!]
gh pr,issue,run,workflow,search,label,project,cache,gist,repo: /
gh pr *: t* -w! -BHbtLlaAmSeqfR= -dscr -i= -n= -p= -T= --interval= --required --fail-fast --squash --merge --rebase --delete-branch --auto --disable-auto --admin --subject= --match-head-commit= --author-email= --comments --patch --name-only --color= --exclude= --milestone= --project= --search= --author= --app= --add-label= --remove-label= --add-assignee= --remove-assignee= --add-reviewer= --remove-reviewer= --add-project= --remove-project= --approve --request-changes --comment --edit-last --create-if-none --delete-last --yes --force --detach --recurse-submodules --branch= --no-maintainer-edit --fill-first --fill-verbose --dry-run --undo --reason= -y -f -F=q --body-file=q --title= --body= --base= --head= --json= --jq= --limit= --label= --state= --watch --web! --template= --fill --draft --reviewer= --assignee= --recover=q --editor!
gh issue *: t* -w! -btLlaAmSseqR= -c -r= -p= -T= --comments --mention= --milestone= --project= --search= --author= --app= --assignee= --add-label= --remove-label= --add-assignee= --remove-assignee= --edit-last --delete-last --yes --reason= --comment= --branch= --base= --name= --checkout --list --lock --order= --recover=q -y -n= -F=q --body-file=q --title= --body= --json= --jq= --limit= --label= --state= --web! --template= --editor!
gh run *: t* -LRwjsbueac= -i= -d -v -q= --failed --debug --verbose --attempt= --interval= --compact --event= --user= --status= --commit= --created= --all --force --log-failed --web! --log --log-failed --json= --jq= --limit= --workflow= --branch= --job= --watch --exit-status
gh run download: t* -n= -D=W --dir=W --name= --pattern= -p=
gh release: /
gh release download: t* -p= -R= -A= -D=W -O=W --dir=W --output=W --pattern= --clobber --skip-existing --archive=
gh release *: t* -w! --web! -ntR= -d -p -L= -y -q= --target= --latest=? --verify-tag --notes-from-tag --notes-start-tag= --discussion-category= --fail-on-no-commits --clobber --limit= --exclude-drafts --exclude-pre-releases --order= --yes --cleanup-tag --tag= --prerelease=? --draft=? -F=q --notes-file=q --notes= --title= --json= --jq= --draft --prerelease --generate-notes
gh repo clone: [n] t w -- -bo= -qvnls -u=x -c=y --depth= --branch= --recurse-submodules=? --single-branch --filter= --no-tags --upstream-remote-name= --bare --mirror --upload-pack=x --template=! --config=y --separate-git-dir=! --reference=! --bundle-uri=! --jobs= -j=
gh repo *: t* -w! --web! -q= -b= -t= -y -s= --branch= --visibility= --fork --fork-name= --remote --remote-name= --default-branch-only --org= --archived --no-archived --language= --topic= --internal --description= -d= --homepage= --template= --push --add-readme --disable-issues --disable-wiki --gitignore= --license= --team= --enable-issues=? --enable-wiki=? --default-branch= --add-topic= --remove-topic= --delete-branch-on-merge=? --force --unset --view --json= --jq= --limit= -L= --source= --public --private --clone
gh gist create: q* -dfp= --public
gh api: [!] t -fXHqtp= -F=f --field=f --raw-field= --method= --header= --jq= --template= --paginate --input=q --slurp --hostname=! --cache= --include -i --silent --verbose --preview=
hg: / [h] --config=y --cwd=! -R=! --repository=! -y -q -v
svn: / [h] --config-option=y --config-dir=! --editor-cmd=x --diff-cmd=x --diff3-cmd=x
`;
