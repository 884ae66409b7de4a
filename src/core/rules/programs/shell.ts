/** Shells and their builtins. */
export const SHELL = `
bash,sh,dash,zsh,ksh,mksh,ash,rbash,yash,posh,oksh,csh,tcsh,elvish,xonsh,nu,oil,osh,lksh,pdksh: [s] {sh} < l -abefhkmnpruvxBCDEHPT -c: -s!< -i! -l! -oO=! += --rcfile=L --init-file=L --login! --norc --noprofile --posix --restricted --verbose --version --help --debugger! --dump-strings
fish: [s] {sh} < l -c=x^ -C=x --command=x^ --init-command=x -i! -l! -N -n -p=W -P --no-config --version
pwsh,powershell: [1i] {sh} < l! -c=x^ -Command=x^ -EncodedCommand=!^ -File=l -NoProfile -NonInteractive
eval: {sh} j!
exec: p! -cl -a=
source,.: {sh} < l
trap: x! t*! -lp
alias: y*
echo,true,false:: [z] t*
printf:: [s] t* -v=v!
test,[:: [1nd] b* -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S -v! -R! -ef -nt -ot -eq -ne -lt -le -gt -ge
[[: [1nd] t* -v! -a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S -ef -nt -ot -eq -ne -lt -le -gt -ge
cd,pushd:: t -LPen
popd,dirs,times,fg,bg,wait,disown: b* -nclpvrshafx
jobs: b* -nlprs -x=p
type,which:: t* -afptPs --all --skip-alias
command:: [T] p -p -vV.
builtin:: [T] p
export: [d] a* -fp -n!
declare,typeset,readonly,local: [d] B* -afFgIlrtup -nx! -iA! +=
unset: v* -fv -n!
read:: [d] v* -ers -dinNptu= -a=v
mapfile,readarray: [d] v -t -dnOsuc= -C=x!
getopts: t v t*!
set: /^(?:pipefail|errexit|nounset|xtrace|noglob|noclobber|verbose|posix|noexec|-)$/* -befhmnptuvxBCEHPT -ak! -o +=
shift,return,exit,break,continue,logout,umask,ulimit: t* -SHpacdefilmnqrstuvx
shopt: t* -pqo -su!
bind: y*! -lpPsSvVX -mqurf=! -x=y!
complete,compgen: t* -abcdefgjksuvADEIpr -C=x -F=! -W=y -AGPSXo=
hash: t* -dlrt -p=y
enable: !* -adnps -f=!
let: b*!
history: t* -# -p -cdanrws!
fc: !*! -lnr -s!
caller,suspend: t*
kill,pkill,killall,pgrep: [1j] t* -s= -l -9 -15 -HUP -INT -TERM -KILL -USR1 -USR2 -f -x -u= -n -o -P= -t= -q -i -v -a -c
crontab: {sh} < l*! -l -eri! -u=
at,batch: {sh} < t*! -lcdbmMvV -f=L! -qt=
vi,vim,view,nvim,ex,gvim,vimdiff,rvim,nvi: {editor} < m*! -cS=s! -sWwuUi=! -bdDeEgHhlLmMNnoOpRrvxyZ -tT= += --cmd=s! --startuptime=W --servername=! --remote!
ed: {editor} < m! -s -p=
emacs: {code} m*! -Q -q -nw --batch --eval=s! -f=! -l=L! --load=L! --script=L!
nano,pico,micro,hx,joe,mcedit,code,subl: m*! -s=x -F! --speller=x --wait
`;
